import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Activity, ChartLine, ChevronDown, LayoutDashboard, Plus } from 'lucide-react';
import { useState } from 'react';
import { NewDashboardDialog } from '../../app/NewDashboardDialog.js';
import { useMayCreate } from '../../app/object-level.js';
import { useMe, useProject, useProjectId } from '../../app/project-context.js';
import { InsightChart } from '../../chart/InsightChart.js';
import { type Answer, answerQuery } from '../../data/answer.js';
import { ownEventQuery } from '../../data/events.js';
import { Button, buttonClass } from '../../ui/Button.js';
import { Menu, MenuRow } from '../../ui/Menu.js';
import { PageBody, PageHead } from '../../ui/PageHead.js';
import { Message } from '../../ui/states.js';
import { useMedia } from '../../ui/use-media.js';
import { sayMoment, useMinute } from './clock.js';
import { FiringAlerts } from './FiringAlerts.js';
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
  const before = `last ${weekday.slice(0, 3)}, ${time}`;
  const since = `from midnight to ${time} in ${timezone}, against last ${weekday} from midnight to ${time}.`;
  // the order of the document, which is that of the Tab key, is the order on the screen
  const isWide = useMedia('(min-width: 64rem)');
  const numbers = (
    <>
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
    </>
  );
  const byHour = <ByHour weekday={weekday} />;
  const dashboards = <PinnedDashboards />;
  const recent = <RecentlyViewed />;
  const halfHour = <LastHalfHour isConnected={arriving.isConnected} />;
  const steps = (
    <div className="grid min-w-0 gap-3 empty:hidden max-lg:col-span-2">
      <FiringAlerts />
      <GettingStarted />
      <NeedsALook now={now} />
    </div>
  );
  const stream = <Arriving {...arriving} />;
  return (
    <>
      <PageHead
        title={`Good ${partOfDay}, ${me.first_name || me.email}`}
        badges={<span className="tnum truncate text-12 text-text-2 max-sm:hidden">{`${day}, ${time} in ${place}`}</span>}
        actions={<NewMenu />}
      />
      <PageBody>
        {isWide ? (
          <div className="grid grid-cols-[minmax(0,2fr)_minmax(0,1fr)] items-start gap-3">
            <div className="grid grid-cols-2 gap-3">
              {numbers}
              <div className="col-span-2 min-w-0">{byHour}</div>
              {dashboards}
              {recent}
            </div>
            <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
              {halfHour}
              {steps}
              {stream}
            </div>
          </div>
        ) : (
          <div className="grid grid-cols-2 items-start gap-3 max-sm:*:col-span-2">
            <div className="col-span-2 grid grid-cols-2 gap-3">{numbers}</div>
            <div className="col-span-2 min-w-0">{halfHour}</div>
            {steps}
            {dashboards}
            {recent}
            <div className="col-span-2 min-w-0">{byHour}</div>
            <div className="col-span-2 min-w-0">{stream}</div>
          </div>
        )}
      </PageBody>
    </>
  );
}

/** Events of each hour of today, the same weekday last week as a thin line. */
function ByHour({ weekday }: { weekday: string }) {
  const project = useProjectId();
  const answer = useQuery({ ...answerQuery(project, eventsByHour), placeholderData: keepPreviousData, refetchInterval: 60_000 });
  const own = useQuery(ownEventQuery(project));
  const isNew = own.data === false && answer.data !== undefined && isAllZero(answer.data);
  return (
    <HomeCard
      title="Events today, by hour"
      note={`thin line: last ${weekday}`}
      aside={<OpenAsInsight question={eventsByHour} name="Events today, by hour" />}
    >
      <div className="min-h-[330px] px-4 pb-3">
        {answer.error && <Failed detail={answer.error.message} onRetry={() => void answer.refetch()} />}
        {isNew && (
          <Message
            icon={<Activity size={16} aria-hidden />}
            title="No event has come in yet"
            action={
              <Link to={`/p/${project}/install` as string} className={buttonClass('primary')}>
                Install Tidemark
              </Link>
            }
          >
            Put the snippet in a page, or load sample data to look around first. Events appear here by themselves.
          </Message>
        )}
        {!answer.error && !isNew && answer.data && <InsightChart query={eventsByHour} answer={answer.data} height={320} />}
      </div>
    </HomeCard>
  );
}

/** Whether a trend has no event at all. */
const isAllZero = ({ results }: Answer): boolean =>
  Array.isArray(results) && results.every(({ data }) => Array.isArray(data) && data.every((value) => value === 0));

function NewMenu() {
  const project = useProjectId();
  const navigate = useNavigate();
  const mayAsk = useMayCreate('insight');
  const mayArrange = useMayCreate('dashboard');
  const [isCreating, setCreating] = useState(false);
  if (!mayAsk && !mayArrange) return null;
  return (
    <>
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
        {mayAsk && (
          <MenuRow icon={<ChartLine size={16} />} onAction={() => void navigate({ to: `/p/${project}/insights/new` as string })}>
            Insight
          </MenuRow>
        )}
        {mayArrange && (
          <MenuRow icon={<LayoutDashboard size={16} />} onAction={() => setCreating(true)}>
            Dashboard
          </MenuRow>
        )}
      </Menu>
      <NewDashboardDialog isOpen={isCreating} onClose={() => setCreating(false)} />
    </>
  );
}
