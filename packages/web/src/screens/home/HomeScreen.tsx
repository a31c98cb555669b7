import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ChartLine, ChevronDown, LayoutDashboard, Plus } from 'lucide-react';
import { useMe, useProject, useProjectId } from '../../app/project-context.js';
import { InsightChart } from '../../chart/InsightChart.js';
import { answerQuery } from '../../data/answer.js';
import { Button } from '../../ui/Button.js';
import { Menu, MenuRow } from '../../ui/Menu.js';
import { PageBody, PageHead } from '../../ui/PageHead.js';
import { sayMoment, useMinute } from './clock.js';
import { GettingStarted } from './GettingStarted.js';
import { HomeCard, OpenAsInsight } from './HomeCard.js';
import { Arriving, LastHalfHour, useArriving } from './LiveCards.js';
import { Failed, NumberCard } from './NumberCard.js';
import { NeedsALook, PinnedDashboards, RecentlyViewed } from './ObjectCards.js';
import { eventsByHour, eventsToday, peopleToday } from './questions.js';

/** What happened in the project, and what to do next. */
export function HomeScreen() {
  const me = useMe();
  const project = useProjectId();
  const { timezone } = useProject();
  const now = useMinute();
  const { time, weekday, day, partOfDay, place } = sayMoment(now, timezone);
  const arriving = useArriving(project);
  const before = `last ${weekday}, ${time}`;
  const since = `from midnight to ${time} in ${timezone}, against last ${weekday} from midnight to ${time}.`;
  return (
    <>
      <PageHead
        title={`Good ${partOfDay}, ${me.first_name || me.email}`}
        badges={<span className="tnum truncate text-12 text-text-2 max-sm:hidden">{`${day}, ${time} in ${place}`}</span>}
        actions={<NewMenu />}
      />
      <PageBody>
        <div className="grid grid-cols-[minmax(0,2fr)_minmax(0,1fr)] items-start gap-3 max-lg:grid-cols-2">
          <div className="grid grid-cols-2 gap-3 max-lg:contents">
            <NumberCard
              title="Events today"
              question={eventsToday(now.toISOString())}
              before={before}
              explanation={`Events ${since}`}
            />
            <NumberCard
              title="Active people today"
              question={peopleToday(now.toISOString())}
              before={before}
              explanation={`People with any event ${since}`}
            />
            <div className="col-span-2 min-w-0 max-lg:order-4">
              <ByHour weekday={weekday} />
            </div>
            <div className="min-w-0 max-lg:order-3 max-sm:col-span-2">
              <PinnedDashboards />
            </div>
            <div className="min-w-0 max-lg:order-3 max-sm:col-span-2">
              <RecentlyViewed />
            </div>
          </div>
          <div className="grid grid-cols-[minmax(0,1fr)] gap-3 max-lg:contents">
            <div className="min-w-0 max-lg:order-1 max-lg:col-span-2">
              <LastHalfHour isConnected={arriving.isConnected} />
            </div>
            <div className="grid min-w-0 gap-3 empty:hidden max-lg:order-2 max-lg:col-span-2">
              <GettingStarted />
              <NeedsALook now={now} />
            </div>
            <div className="min-w-0 max-lg:order-5 max-lg:col-span-2">
              <Arriving {...arriving} />
            </div>
          </div>
        </div>
      </PageBody>
    </>
  );
}

/** Events of each hour of today, the same weekday last week as a thin line. */
function ByHour({ weekday }: { weekday: string }) {
  const project = useProjectId();
  const answer = useQuery({ ...answerQuery(project, eventsByHour), placeholderData: keepPreviousData, refetchInterval: 60_000 });
  return (
    <HomeCard
      title="Events today, by hour"
      note={`thin line: last ${weekday}`}
      aside={<OpenAsInsight question={eventsByHour} name="Events today, by hour" />}
    >
      <div className="min-h-[330px] px-4 pb-3">
        {answer.error && <Failed detail={answer.error.message} onRetry={() => void answer.refetch()} />}
        {!answer.error && answer.data && <InsightChart query={eventsByHour} answer={answer.data} height={320} />}
      </div>
    </HomeCard>
  );
}

function NewMenu() {
  const project = useProjectId();
  const navigate = useNavigate();
  const go = (path: string) => void navigate({ to: `/p/${project}${path}` as string });
  return (
    <Menu
      label="New"
      trigger={
        <Button kind="primary">
          <span className="flex items-center gap-1.5">
            <Plus size={14} aria-hidden />
            New
            <ChevronDown size={14} aria-hidden />
          </span>
        </Button>
      }
    >
      <MenuRow icon={<ChartLine size={16} />} onAction={() => go('/insights/new')}>
        Insight
      </MenuRow>
      <MenuRow icon={<LayoutDashboard size={16} />} onAction={() => go('/dashboards')}>
        Dashboard
      </MenuRow>
    </Menu>
  );
}
