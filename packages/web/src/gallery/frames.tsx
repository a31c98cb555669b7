import { Globe, Save, Share2 } from 'lucide-react';
import { Badge } from '../ui/Badge.js';
import { Button } from '../ui/Button.js';
import { Card } from '../ui/Card.js';
import { MenuRow, MoreMenu } from '../ui/Menu.js';
import { PageBar, PageBody, PageHead } from '../ui/PageHead.js';
import { Segmented } from '../ui/Segmented.js';
import { Tabs } from '../ui/Tabs.js';
import { LONG, State, Value } from './State.js';

const TABS = ['Overview', 'Release', 'Variants', 'Schedule', 'Test', 'History', 'Dependencies', 'Options'];

export const frames = {
  PageHead: () => (
    <>
      <State is="title">
        <PageHead title="Events" />
      </State>
      <State is="crumb, badges, actions, with PageBar and PageBody below">
        <div className="screen">
          <PageHead
            crumb={<a href="/__gallery/PageHead">Dashboards</a>}
            title="Growth"
            badges={
              <Badge kind="accent" icon={<Globe size={12} aria-hidden />}>
                Public
              </Badge>
            }
            actions={
              <>
                <MoreMenu label="Dashboard" button="More of the dashboard">
                  <MenuRow>Duplicate</MenuRow>
                </MoreMenu>
                <Button icon={<Share2 size={14} aria-hidden />}>Share</Button>
                <Button kind="primary" icon={<Save size={14} aria-hidden />}>
                  Save
                </Button>
              </>
            }
          />
          <PageBar>
            <Segmented
              label="Interval"
              options={[
                { value: 'day', label: 'Day' },
                { value: 'week', label: 'Week' },
              ]}
              value="day"
              onChange={() => {}}
            />
          </PageBar>
          <PageBody>What scrolls.</PageBody>
        </div>
      </State>
      <State is="a long title, with actions">
        <PageHead title={LONG} badges={<Badge>Restricted</Badge>} actions={<Button kind="primary">Save</Button>} />
      </State>
    </>
  ),
  Card: () => (
    <>
      <State is="content from edge to edge">
        <Card>{LONG}</Card>
      </State>
      <State is='className="p-4"'>
        <Card className="p-4">{LONG}</Card>
      </State>
    </>
  ),
  Tabs: () => (
    <>
      <State is="three tabs">
        <Value of="Release">
          {(selected, select) => (
            <Tabs
              label="Flag"
              tabs={TABS.slice(0, 3).map((id) => ({ id, label: id, content: () => <p>{id} of the flag</p> }))}
              selected={selected}
              onSelect={select}
            />
          )}
        </Value>
      </State>
      <State is="more tabs than fit">
        <Value of="Overview">
          {(selected, select) => (
            <div className="field">
              <Tabs
                label="Everything of the flag"
                tabs={TABS.map((id) => ({ id, label: id, content: () => <p>{id} of everything</p> }))}
                selected={selected}
                onSelect={select}
              />
            </div>
          )}
        </Value>
      </State>
    </>
  ),
};
