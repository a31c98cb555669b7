import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { readableName } from '@tidemark/charts';
import { useEffect, useState } from 'react';
import { useProject, useProjectId } from '../../app/project-context.js';
import { activityQuery, fetchEvents, type ListedEvent, listenToEvents } from '../../data/events.js';
import { Time } from '../../ui/Time.js';
import { HomeCard, Nothing } from './HomeCard.js';
import { Failed } from './NumberCard.js';

/** Events of the card at most. */
const SHOWN = 5;
const ALL = { event: null, properties: [] };

interface Arrived {
  events: readonly ListedEvent[];
  isConnected: boolean;
  /** Why the events of before could not be loaded; null: they are there, or on their way. */
  fault: string | null;
}

/** The latest events, and whether new ones are heard. What the stream says about the last half hour goes where it is shown. */
export function useArriving(project: string): Arrived {
  const queries = useQueryClient();
  const [events, setEvents] = useState<readonly ListedEvent[]>([]);
  const [isConnected, setConnected] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    const add = (more: readonly ListedEvent[]) => setEvents((before) => latest([...before, ...more]));
    setEvents([]);
    setFault(null);
    const stop = listenToEvents(project, ALL, {
      onEvent: (event) => add([event]),
      onActivity: (activity) => queries.setQueryData(activityQuery(project).queryKey, activity),
      onState: setConnected,
    });
    // without the history the list begins with the next event
    fetchEvents(project, ALL, null, abort.signal).then(add, ({ message }: Error) => abort.signal.aborted || setFault(message));
    return () => {
      stop();
      abort.abort();
    };
  }, [project, queries]);
  return { events, isConnected, fault };
}

function latest(events: readonly ListedEvent[]): readonly ListedEvent[] {
  const each = new Map(events.map((event) => [event.uuid, event]));
  return [...each.values()].sort((a, b) => b.timestamp.localeCompare(a.timestamp)).slice(0, SHOWN);
}

const LiveDot = ({ isConnected }: { isConnected: boolean }) => (
  <span
    role="img"
    aria-label={isConnected ? 'Live' : 'Not connected'}
    title={isConnected ? 'Live' : 'Not connected'}
    className={`inline-block size-2 shrink-0 rounded-full ${isConnected ? 'bg-live' : 'bg-border-strong'}`}
  />
);

/** How much happens now: a bar for each of the last 30 minutes. */
export function LastHalfHour({ isConnected }: { isConnected: boolean }) {
  const project = useProjectId();
  const activity = useQuery(activityQuery(project));
  const { events = 0, active_people: people = 0, per_minute: minutes = [] } = activity.data ?? {};
  const most = Math.max(1, ...minutes);
  return (
    <HomeCard title="Last 30 minutes" note={<LiveDot isConnected={isConnected} />}>
      <div className="min-h-[74px] px-4 pb-3" title="By the time at which events happened. The last bar is the present minute.">
        {activity.error && <Failed detail={activity.error.message} onRetry={() => void activity.refetch()} />}
        {activity.data && (
          <div className="flex items-end gap-3">
            <div className="min-w-0 flex-1">
              <p className="tnum text-28 leading-9 font-strong tracking-tight">{events.toLocaleString('en')}</p>
              <p className="tnum flex min-h-5 items-center text-12 text-text-2">
                {`${events === 1 ? 'event' : 'events'} by ${people.toLocaleString('en')} ${people === 1 ? 'person' : 'people'}`}
              </p>
            </div>
            <div aria-hidden className="flex h-10 items-end gap-0.5">
              {minutes.map((count, minute) => (
                <span
                  // biome-ignore lint/suspicious/noArrayIndexKey: a bar is the minute at its place
                  key={minute}
                  className={`w-1 rounded-s ${minute === minutes.length - 1 ? 'bg-live' : 'bg-accent-line'}`}
                  style={{ height: `${Math.max(count > 0 ? 8 : 3, (100 * count) / most)}%` }}
                />
              ))}
            </div>
          </div>
        )}
      </div>
    </HomeCard>
  );
}

/** The events that come in, the latest first. */
export function Arriving({ events, isConnected, fault }: Arrived) {
  const project = useProjectId();
  const { timezone } = useProject();
  return (
    <HomeCard
      title="Arriving now"
      note={<LiveDot isConnected={isConnected} />}
      aside={
        <Link to={`/p/${project}/events` as string} className="text-12 font-medium text-text-2 pointer-coarse:py-3">
          All events
        </Link>
      }
    >
      {events.length === 0 ? (
        <Nothing>
          {fault ? `Earlier events could not be loaded: ${fault}` : 'No event today yet.'} New ones appear here by themselves.
        </Nothing>
      ) : (
        <ul aria-label="Arriving now" className="divide-y divide-border border-t border-border">
          {events.map((event) => (
            <li key={event.uuid} className="flex min-h-[30px] items-center gap-2 px-4 text-12">
              <span className="w-28 shrink-0 truncate font-medium">{readableName(event.event)}</span>
              <span className="min-w-0 flex-1 truncate text-text-2">{aboutEvent(event)}</span>
              <span className="shrink-0 text-text-2">
                <Time at={event.timestamp} zone={timezone} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </HomeCard>
  );
}

/** The page or screen of an event, or else whose it is. */
function aboutEvent({ properties, distinctId }: ListedEvent): string {
  const place = properties['$pathname'] ?? properties['$screen_name'];
  return typeof place === 'string' ? place : distinctId;
}
