import {
  type Client,
  type ClientInternals,
  decideReplay,
  isRecord,
  noteTrigger,
  type ReplayControls,
  type ReplayTriggers,
  readReplayControls,
  type SessionChange,
} from '@tidemark/client';
import { onHistoryChange } from '../pages/history-changes.js';
import { createDelivery } from './delivery.js';
import type { ReplayOptions } from './options.js';
import { type Hold, type Recording, startRecording } from './recording.js';
import type { Early } from './replay.js';

export interface Controller {
  start(): void;
  /** Sends what is pending and records no more until `start`. */
  stop(): void;
  isActive(): boolean;
  /** The project's settings, the options or the consent may have changed. */
  update(): void;
  end(): void;
}

interface Stored extends ReplayTriggers {
  session: string;
}

const parseStored = (stored: unknown): Stored | undefined =>
  isRecord(stored) && typeof stored.session === 'string'
    ? { session: stored.session, event: stored.event === true, url: stored.url === true }
    : undefined;

/** Why what is recorded of a new session waits for somebody to do something, if it does. */
const holdOf = (reason: SessionChange['reason'] | undefined): Hold =>
  reason === 'start' ? 'fresh' : reason === 'idle' ? 'rotation' : undefined;

/** Starts, pauses and ends recordings as sessions, addresses, events, flags and settings have it. */
export function createController(
  client: Client,
  internals: ClientInternals,
  { local, early }: { local: () => ReplayOptions | undefined; early: Early },
): Controller {
  const { log, platform } = internals;
  const slot = internals.slot('replay', parseStored);
  let wanted = true;
  let limited = false;
  let hold = holdOf(early.reason);
  let recording: Recording | undefined;
  let session = client.getSessionId();

  const delivery = createDelivery(client, internals, () => {
    limited = true;
    log.warn('The project takes no more recordings at the moment.');
    update();
  });

  const triggersOf = (): Stored => {
    const stored = slot.get();
    return stored?.session === session ? stored : { session };
  };
  const trigger = (controls: ReplayControls, happened: { event?: string; url?: string }) => {
    const triggered = triggersOf();
    if (!noteTrigger(controls, triggered, happened)) return false;
    slot.set(triggered);
    hold = undefined;
    recording?.release();
    return true;
  };

  let readFrom: unknown;
  let read: ReplayControls | undefined;
  const controlsNow = (): ReplayControls | undefined => {
    if (!wanted || limited || !local() || client.isOptedOut()) return undefined;
    const remote = internals.remoteConfig()?.sessionRecording;
    if (remote !== readFrom) {
      readFrom = remote;
      read = readReplayControls(remote, (sentence) => log.warn(sentence));
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
    const settings = local();
    if (!controls || !settings) {
      halt(client.isOptedOut());
      return;
    }
    trigger(controls, { url: location.href });
    const decision = decideReplay(controls, {
      sessionId: session,
      url: location.href,
      flag: (key) => client.getFeatureFlag(key),
      triggered: triggersOf(),
    });
    if (decision !== 'record') halt();
    else if (recording) recording.setMinimum(controls.minimumMs);
    else recording = begin(controls, settings);
  }

  const begin = (controls: ReplayControls, settings: ReplayOptions): Recording | undefined =>
    internals.guard(() =>
      startRecording({
        sessionId: session,
        windowId: platform.windowId?.() ?? session,
        startedAt: internals.sessionStartedAt(),
        minimumMs: controls.minimumMs,
        hold,
        options: settings,
        remote: internals.remoteConfig()?.sessionRecording,
        timers: platform.timers,
        active: internals.touchSession,
        deliver: delivery.send,
        deliverLeaving: delivery.leave,
        log,
      }),
    );

  const stops = [
    client.on('session', ({ sessionId, reason }) => {
      halt();
      session = sessionId;
      hold = holdOf(reason);
      update();
    }),
    client.on('eventCaptured', ({ event }) => {
      const controls = controlsNow();
      // switched off meanwhile, which nothing else tells
      if (!controls) halt();
      else if (trigger(controls, { event })) update();
    }),
    client.on('featureFlags', () => update()),
    client.on('flush', ({ leaving }) => {
      recording?.flush(leaving);
      if (leaving) delivery.leave();
    }),
    onHistoryChange(() => update()),
  ];

  const controls = controlsNow();
  if (controls) for (const event of early.events) trigger(controls, { event });
  update();

  return {
    start() {
      wanted = true;
      hold = undefined;
      recording?.release();
      update();
    },
    stop() {
      wanted = false;
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
