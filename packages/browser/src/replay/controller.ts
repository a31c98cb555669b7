import {
  type Client,
  type ClientInternals,
  createReplayDecisions,
  type ReplayBeginnings,
  type ReplayDecisions,
  type SessionChange,
} from '@tidemark/client';
import { onHistoryChange } from '../pages/history-changes.js';
import { createDelivery } from './delivery.js';
import type { ReplayOptions } from './options.js';
import { type Hold, type Recording, startRecording } from './recording.js';

/** Why the data of a new session waits for an interaction; undefined: it does not. */
const holdOf = (reason: SessionChange['reason'] | undefined): Hold =>
  reason === 'start' ? 'fresh' : reason === 'idle' ? 'rotation' : undefined;

/** Records the page while `createReplayDecisions` decides that its session is recorded. */
export function createController(
  client: Client,
  internals: ClientInternals,
  { local, early }: { local: () => ReplayOptions | undefined; early: ReplayBeginnings },
): ReplayDecisions {
  const { log, platform } = internals;
  let limited = false;
  let recording: Recording | undefined;

  const delivery = createDelivery(client, internals, () => {
    limited = true;
    log.warn('Session recording ended: the project is over its quota of recordings.');
    decisions.update();
  });
  const decisions = createReplayDecisions(client, internals, {
    early,
    isWanted: () => !limited && !!local(),
    url: () => location.href,
    begin({ id, minimumMs, reason }) {
      recording = startRecording({
        sessionId: id,
        windowId: platform.windowId?.() ?? id,
        startedAt: internals.sessionStartedAt(),
        minimumMs,
        hold: holdOf(reason),
        options: local() ?? {},
        remote: internals.remoteConfig()?.sessionRecording,
        timers: platform.timers,
        active: internals.touchSession,
        deliver: delivery.send,
        deliverLeaving: delivery.leave,
        log,
      });
      return recording;
    },
  });

  const stops = [
    client.on('flush', ({ leaving }) => {
      if (decisions.isActive()) recording?.flush(leaving);
      if (leaving) delivery.leave();
    }),
    onHistoryChange(() => {
      decisions.update();
      if (decisions.isActive()) recording?.navigated(location.href);
    }),
    client.on('consent', () => {
      // drops undelivered data, before the person may opt in again
      if (client.isOptedOut()) delivery.leave();
    }),
  ];
  return {
    ...decisions,
    end() {
      for (const stop of stops) stop();
      decisions.end();
    },
  };
}
