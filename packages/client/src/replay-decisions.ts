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
  /** Minimum duration in milliseconds: nothing is sent before. */
  minimumMs: number;
  /** How the session began; undefined after a trigger or `startSessionRecording`. */
  reason: SessionChange['reason'] | undefined;
}

/** The running recording of one session. */
export interface ReplayRecording {
  setMinimum(milliseconds: number): void;
  /** Sends data that waits for the first interaction of the session. */
  release?(): void;
  /** Sends pending data; `discard`: drops it. */
  stop(discard: boolean): void;
}

/** What happened in a session before the settings of recordings were known. */
export interface ReplayBeginnings {
  /** Names of events. */
  events: Set<string>;
  /** How the session began. */
  reason: SessionChange['reason'] | undefined;
}

export interface ReplayPorts {
  early: ReplayBeginnings;
  /** Whether the options of the page or app allow recording now. */
  isWanted(): boolean;
  /** Reduces the project's conditions to those that the platform supports. Default: all. */
  adapt?(controls: ReplayControls): ReplayControls;
  /** The URL of the page; absent in apps. */
  url?(): string;
  begin(session: RecordedSession): ReplayRecording;
}

export interface ReplayDecisions {
  start(): void;
  /** Sends pending data and stops recording until `start`. */
  stop(): void;
  isActive(): boolean;
  /** Decides again, after a change for which the client emits no event, such as of the URL. */
  update(): void;
  end(): void;
}

const MOST_EARLY = 200;

/** Adds the name of an event that was captured before the settings of recordings were known. */
export function addEarlyEvent({ events }: ReplayBeginnings, event: string): void {
  if (events.size < MOST_EARLY) events.add(event);
}

/** Starts and stops recordings by the session, the URL, events, flags, consent and the project's settings. */
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
        // an option has switched recording off, for which there is no event
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
