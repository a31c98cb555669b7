import type { Client, ClientInternals, SessionChange } from './client.js';
import {
  decideReplay,
  noteTrigger,
  parseTriggers,
  type ReplayControls,
  readReplayControls,
  type SessionTriggers,
} from './replay-controls.js';

/** A session whose recording begins. */
export interface RecordedSession {
  id: string;
  /** Nothing is sent of it before it has lasted so long; milliseconds. */
  minimumMs: number;
  /** How it began, while nobody has done anything in it that asks for a recording. */
  reason: SessionChange['reason'] | undefined;
}

/** What records one session until it is stopped. */
export interface ReplayRecording {
  setMinimum(milliseconds: number): void;
  /** What waits until somebody does something may go. */
  release?(): void;
  /** Sends what is pending; `discard`: throws it away. */
  stop(discard: boolean): void;
}

/** What happened in a session before anything could be decided. */
export interface ReplayBeginnings {
  /** Names of events. */
  events: Set<string>;
  /** How the session began. */
  reason: SessionChange['reason'] | undefined;
}

export interface ReplayPorts {
  early: ReplayBeginnings;
  /** Whether the page or app lets itself be recorded, as it is set now. */
  isWanted(): boolean;
  /** Changes what the project set into what the platform can obey. Absent: nothing is changed. */
  adapt?(controls: ReplayControls): ReplayControls;
  /** The address of the page; absent where there are none. */
  url?(): string;
  begin(session: RecordedSession): ReplayRecording;
}

export interface ReplayDecisions {
  start(): void;
  /** Sends what is pending and records no more until `start`. */
  stop(): void;
  isActive(): boolean;
  /** What decides may have changed in a way that the client does not tell. */
  update(): void;
  end(): void;
}

const MOST_EARLY = 200;

/** Remembers the name of an event that was captured before the settings of recordings were known. */
export function addEarlyEvent({ events }: ReplayBeginnings, event: string): void {
  if (events.size < MOST_EARLY) events.add(event);
}

/** Begins and ends recordings as sessions, addresses, events, flags, consent and the project's settings have it. */
export function createReplayDecisions(client: Client, internals: ClientInternals, ports: ReplayPorts): ReplayDecisions {
  const { log } = internals;
  const { early, url } = ports;
  const slot = internals.slot('replay', parseTriggers);
  let isRequested = true;
  let recording: ReplayRecording | undefined;
  let session = client.getSessionId();
  let { reason } = early;

  const triggersOf = (): SessionTriggers => {
    const stored = slot.get();
    return stored?.session === session ? stored : { session };
  };
  const release = () => {
    reason = undefined;
    recording?.release?.();
  };
  const trigger = (controls: ReplayControls, happened: { event?: string; url?: string | undefined }) => {
    const triggered = triggersOf();
    if (!noteTrigger(controls, triggered, happened)) return false;
    slot.set(triggered);
    release();
    return true;
  };

  let readFrom: unknown;
  let read: ReplayControls | undefined;
  const controlsNow = (): ReplayControls | undefined => {
    if (!isRequested || !ports.isWanted() || client.isOptedOut()) return undefined;
    const remote = internals.remoteConfig()?.sessionRecording;
    if (remote !== readFrom) {
      readFrom = remote;
      read = readReplayControls(remote, log.warn);
      if (read && ports.adapt) read = ports.adapt(read);
    }
    return read;
  };

  const halt = (discard = false) => {
    const ending = recording;
    recording = undefined;
    ending?.stop(discard);
  };

  function update(): void {
    const controls = controlsNow();
    if (!controls) {
      halt(client.isOptedOut());
      return;
    }
    for (const event of early.events) trigger(controls, { event });
    early.events.clear();
    const address = url?.();
    trigger(controls, { url: address });
    const decision = decideReplay(controls, {
      sessionId: session,
      ...(address === undefined ? {} : { url: address }),
      flag: (key) => client.getFeatureFlag(key),
      triggered: triggersOf(),
    });
    const { minimumMs } = controls;
    if (decision !== 'record') halt();
    else if (recording) recording.setMinimum(minimumMs);
    else recording = internals.guard(() => ports.begin({ id: session, minimumMs, reason }));
  }

  const stops = [
    client.on('session', (change) => {
      halt(client.isOptedOut());
      session = change.sessionId;
      reason = change.reason;
      early.events.clear();
      update();
    }),
    client.on('eventCaptured', ({ event }) => {
      const controls = controlsNow();
      if (!controls) {
        // switched off meanwhile, which nothing else tells
        halt();
        if (!internals.remoteConfig()) addEarlyEvent(early, event);
      } else if (trigger(controls, { event })) update();
    }),
    client.on('featureFlags', update),
    client.on('config', update),
    client.on('consent', update),
  ];
  update();

  return {
    start() {
      isRequested = true;
      release();
      update();
    },
    stop() {
      isRequested = false;
      halt();
    },
    isActive: () => recording !== undefined,
    update,
    end() {
      for (const stop of stops) stop();
      halt();
    },
  };
}
