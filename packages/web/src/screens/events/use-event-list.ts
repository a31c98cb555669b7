import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { EVENTS_PAGE, type EventsFilter, fetchEvents, type ListedEvent, listenToEvents } from '../../data/events.js';

/** Events in memory at most; older ones are read again by scrolling. */
const MOST = 5_000;

export interface EventList {
  events: readonly ListedEvent[];
  /** Events that arrived while the list was paused, or were too many to be sent. */
  waiting: number;
  leftOut: number;
  isConnected: boolean;
  isLoading: boolean;
  hasMore: boolean;
  fault: Error | null;
  /** Loads older events. */
  loadMore: () => void;
  /** Loads what could not be loaded. */
  retry: () => void;
}

/** The history of a project's events with live ones in front. While it is paused, new ones wait and nothing moves. */
export function useEventList(project: string, filter: EventsFilter, isPaused: boolean): EventList {
  const [events, setEvents] = useState<ListedEvent[]>([]);
  const [waiting, setWaiting] = useState<ListedEvent[]>([]);
  const [state, setState] = useState({
    isLoading: true,
    hasMore: true,
    isConnected: false,
    leftOut: 0,
    fault: null as Error | null,
  });
  const key = JSON.stringify(filter);
  const paused = useRef(isPaused);
  paused.current = isPaused;
  const abort = useRef<AbortController | null>(null);

  const load = useCallback(
    async (before: string | null) => {
      abort.current?.abort();
      const controller = new AbortController();
      abort.current = controller;
      setState((old) => ({ ...old, isLoading: true, fault: null }));
      try {
        const page = await fetchEvents(project, JSON.parse(key), before, controller.signal);
        setEvents((old) => merge(before === null ? page : [...old, ...page]));
        setState((old) => ({ ...old, isLoading: false, hasMore: page.length === EVENTS_PAGE }));
      } catch (error) {
        if (!controller.signal.aborted) setState((old) => ({ ...old, isLoading: false, fault: error as Error }));
      }
    },
    [project, key],
  );

  useEffect(() => {
    setEvents([]);
    setWaiting([]);
    void load(null);
    // messages of one frame are shown together
    let arrived: ListedEvent[] = [];
    let frame = 0;
    const flush = () => {
      frame = 0;
      const fresh = arrived.reverse();
      arrived = [];
      if (paused.current) setWaiting((old) => [...fresh, ...old].slice(0, MOST));
      else setEvents((old) => merge([...fresh, ...old]).slice(0, MOST));
    };
    const stop = listenToEvents(project, JSON.parse(key), {
      onEvent: (event) => {
        arrived.push(event);
        frame ||= requestAnimationFrame(flush);
      },
      onLeftOut: (count) => setState((old) => ({ ...old, leftOut: old.leftOut + count })),
      onState: (isConnected) => setState((old) => ({ ...old, isConnected })),
    });
    return () => {
      stop();
      cancelAnimationFrame(frame);
      abort.current?.abort();
    };
  }, [project, key, load]);

  // what waited is shown when the list goes on
  useEffect(() => {
    if (isPaused || waiting.length === 0) return;
    setEvents((old) => merge([...waiting, ...old]).slice(0, MOST));
    setWaiting([]);
  }, [isPaused, waiting]);

  const oldest = events.at(-1)?.timestamp ?? null;
  return useMemo(
    () => ({
      events,
      waiting: waiting.length,
      ...state,
      loadMore: () => void (!state.isLoading && state.hasMore && oldest && load(oldest)),
      retry: () => void (!state.isLoading && load(oldest)),
    }),
    [events, waiting, state, oldest, load],
  );
}

/** Each event once, the latest first. */
function merge(events: readonly ListedEvent[]): ListedEvent[] {
  const known = new Map<string, ListedEvent>();
  for (const event of events) {
    const before = known.get(event.uuid);
    known.set(event.uuid, before?.personProperties ? before : event);
  }
  return [...known.values()].sort((a, b) => (a.timestamp < b.timestamp ? 1 : a.timestamp > b.timestamp ? -1 : 0));
}
