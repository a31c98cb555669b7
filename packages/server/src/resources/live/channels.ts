import {
  countRecentActivity,
  countRecentEvents,
  listRecentEvents,
  type RecentActivity,
  type RecentEvent,
  type RecentFilter,
} from '../../analytics/index.js';
import type { ProjectContext } from '../../auth/index.js';
import type { Caches } from '../../caches/index.js';
import type { Ports } from '../../deps.js';
import { ApiError } from '../../kernel/errors.js';
import { logOnce } from '../../kernel/log-once.js';

/** Streams that are open at a time, of a project and in all. */
export const MAX_PROJECT_STREAMS = 20;
const MAX_STREAMS = 200;
/** Pause between two reads of a channel; milliseconds. */
export const POLL_MS = 1_000;
/** Events that one read passes on at most: nobody can read more in a second. */
export const MAX_EVENTS = 50;
/** How late an event may become visible to reads, also for a server whose clock is behind; milliseconds. */
const OVERLAP_MS = 10_000;
/** How far back a read after failed ones goes; milliseconds. */
const MAX_GAP_MS = 60_000;
/** Interval of the numbers of active people; milliseconds. */
export const ACTIVITY_MS = 5_000;

/** What a stream gets from its channel. */
export interface Subscriber {
  /** `leftOut`: further events that were stored since the last call. Events are in the order in which they were stored. */
  events(events: readonly RecentEvent[], leftOut: number): void;
  activity(activity: RecentActivity): void;
  /** The service stops. */
  stopped(): void;
}

/** The live lists of a process. Each polls the store, and so has the events that other servers accepted, too. */
export interface LiveChannels {
  /** Passes events on from now. @returns ends it @throws ApiError throttled: too many streams are open */
  subscribe(project: ProjectContext['project'], filter: RecentFilter, subscriber: Subscriber): () => void;
  /** What happened in the last half hour, at most {@link ACTIVITY_MS} old. */
  activity(projectId: number): Promise<RecentActivity>;
  /** Number of open streams. */
  size(): number;
  close(): void;
}

interface Channel {
  projectId: number;
  subscribers: Set<Subscriber>;
  stop(): void;
}

/** Subscribers with equal filters share a channel, so that a second reader costs the store nothing. */
export function createLiveChannels(
  ports: Pick<Ports, 'clock' | 'db' | 'events' | 'log' | 'scheduler'>,
  caches: Caches,
): LiveChannels {
  const channels = new Map<string, Channel>();
  const activities = caches.create<number, RecentActivity>({
    name: 'recent_activity',
    max: { entries: 1_000 },
    ttl: ACTIVITY_MS,
  });
  let isClosed = false;

  const activity = (projectId: number) =>
    activities.getOrLoad(projectId, () => countRecentActivity(ports.events, projectId, ports.clock.now()));
  const openStreams = (projectId?: number): number => {
    let count = 0;
    for (const channel of channels.values()) {
      if (projectId === undefined || channel.projectId === projectId) count += channel.subscribers.size;
    }
    return count;
  };

  return {
    subscribe(project, filter, subscriber) {
      if (isClosed) throw new ApiError('unavailable');
      if (openStreams(project.id) >= MAX_PROJECT_STREAMS || openStreams() >= MAX_STREAMS) {
        throw new ApiError('throttled', 'Too many live streams are open. Close one, and try again.', null, 30);
      }
      const key = JSON.stringify([project.id, filter]);
      const channel = channels.get(key) ?? openChannel(ports, project, { filter, activity });
      channels.set(key, channel);
      channel.subscribers.add(subscriber);
      return () => {
        channel.subscribers.delete(subscriber);
        if (channel.subscribers.size > 0 || channels.get(key) !== channel) return;
        channels.delete(key);
        channel.stop();
      };
    },
    activity,
    size: () => openStreams(),
    close() {
      isClosed = true;
      for (const { subscribers, stop } of channels.values()) {
        stop();
        for (const subscriber of [...subscribers]) subscriber.stopped();
      }
      channels.clear();
    },
  };
}

interface ChannelOptions {
  filter: RecentFilter;
  activity: LiveChannels['activity'];
}

function openChannel(
  { clock, db, events, log, scheduler }: Pick<Ports, 'clock' | 'db' | 'events' | 'log' | 'scheduler'>,
  { id: projectId, timezone }: ProjectContext['project'],
  { filter, activity }: ChannelOptions,
): Channel {
  const subscribers = new Set<Subscriber>();
  const stopped = new AbortController();
  const fault = logOnce(log, 'warn', 'live events are read again', { project: projectId });
  const startedAt = clock.now();
  let readUntil = startedAt;
  let activityAt = Number.NEGATIVE_INFINITY;
  /** Events by the second in which they were stored, as far as subscribers know of them. */
  const counted = new Map<number, number>();
  /** Events that were passed on, with the time of that: reads overlap. */
  const sent = new Map<string, number>();

  /** Counts the events that no read has found before. */
  function countNew(found: ReadonlyMap<number, number>): number {
    let fresh = 0;
    for (const [second, count] of found) {
      const before = counted.get(second) ?? 0;
      if (count <= before) continue;
      fresh += count - before;
      counted.set(second, count);
    }
    return fresh;
  }

  async function readEvents(): Promise<void> {
    const now = clock.now();
    const since = Math.max(startedAt - 1, Math.max(Math.min(readUntil, now) - OVERLAP_MS, now - MAX_GAP_MS));
    const context = { projectId, timezone, now, db, signal: stopped.signal };
    const fresh = countNew(await countRecentEvents(events, filter, context, since));
    const wanted = Math.min(fresh, MAX_EVENTS);
    if (wanted > 0) {
      const rows = await listRecentEvents(events, filter, context, { since, limit: wanted + sent.size });
      const found = rows.filter(({ uuid }) => !sent.has(uuid)).slice(0, wanted);
      for (const { uuid } of found) sent.set(uuid, now);
      for (const one of subscribers) one.events(found.toReversed(), fresh - found.length);
    }
    readUntil = now;
    for (const [uuid, at] of sent) if (now - at > 2 * OVERLAP_MS) sent.delete(uuid);
    for (const second of counted.keys()) if (second * 1_000 < since - 2 * OVERLAP_MS) counted.delete(second);
  }

  async function readActivity(): Promise<void> {
    if (scheduler.uptime() - activityAt < ACTIVITY_MS) return;
    activityAt = scheduler.uptime();
    const numbers = await activity(projectId);
    for (const one of subscribers) one.activity(numbers);
  }

  let cancel = scheduler.after(0, poll);
  function poll(): void {
    void Promise.all([readEvents(), readActivity()])
      .then(fault.worked, (error: unknown) => {
        if (!stopped.signal.aborted) fault.failed('live events cannot be read', error);
      })
      .finally(() => {
        if (!stopped.signal.aborted) cancel = scheduler.after(POLL_MS, poll);
      });
  }

  return {
    projectId,
    subscribers,
    stop() {
      cancel();
      stopped.abort();
    },
  };
}
