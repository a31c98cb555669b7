import {
  appControls,
  type ClientInternals,
  createReplayDecisions,
  type Feature,
  isRecord,
  type RecordedSession,
  type ReplayRecording,
} from '@tidemark/client';
import type { AppStatePort, RecorderPort, RecorderSettings } from '../ports.js';
import type { RecordingOptions } from './options.js';
import { controlRecorder } from './recorder-control.js';

/** Has the app's recorder record the sessions that the project wants to have recorded. */
export function sessionRecording(recorder: RecorderPort, appState?: AppStatePort): Feature {
  return {
    name: 'session-recording',
    setup(client, internals) {
      const { platform } = internals;
      const control = controlRecorder(recorder, platform.timers, internals.log);
      let recorded: RecordedSession | undefined;
      let lastSettings = '';
      let lastEvent = platform.clock.now();
      let idleTimer: unknown;

      const local = (): RecordingOptions => {
        const { session_recording: option } = internals.options();
        return { ...(typeof option === 'object' ? option : {}) };
      };
      /** Milliseconds; no more than 0: nobody is there. */
      const idleIn = () => {
        const { idleAfterMs = (internals.options().session_idle_timeout_seconds || 1800) * 1000 } = local();
        return lastEvent + idleAfterMs - platform.clock.now();
      };

      const tell = () => {
        if (!recorded) return;
        const settings: RecorderSettings = {
          sessionId: recorded.id,
          distinctId: client.getDistinctId(),
          anonymousId: client.getAnonymousId(),
          apiKey: client.apiKey,
          minimumDurationMs: recorded.minimumMs,
          ...settingsOf(internals, local()),
        };
        const text = JSON.stringify(settings);
        if (text !== lastSettings) control.record(settings);
        lastSettings = text;
      };
      const watchIdle = () => {
        platform.timers.clear(idleTimer);
        idleTimer = recorded && platform.timers.set(() => (idleIn() > 0 ? watchIdle() : decisions.update()), idleIn());
      };
      const begin = (session: RecordedSession): ReplayRecording => {
        recorded = session;
        lastSettings = '';
        tell();
        watchIdle();
        return {
          setMinimum(minimumMs) {
            recorded = { ...session, minimumMs };
            tell();
          },
          stop(discard) {
            recorded = undefined;
            control.stop({ discard });
          },
        };
      };
      /** Somebody does something. */
      const wake = () => {
        const wasIdle = idleIn() <= 0;
        lastEvent = platform.clock.now();
        if (wasIdle) decisions.update();
      };

      const stops = [client.on('eventCaptured', wake)];
      const decisions = createReplayDecisions(client, internals, {
        adapt: appControls,
        early: { events: new Set(), reason: undefined },
        isWanted: () => internals.options().session_recording !== false && idleIn() > 0,
        begin,
      });
      const subscription = appState?.addEventListener('change', (state) => {
        if (state !== 'active') return;
        // the session may be over
        client.getSessionId();
        wake();
        control.check();
      });
      // after it was decided what the event means for the recording
      stops.push(client.on('eventCaptured', ({ event }) => control.eventCaptured(event)));
      stops.push(client.on('identity', tell));
      stops.push(client.on('consent', () => client.isOptedOut() && control.discard()));
      internals.extend({
        startSessionRecording: decisions.start,
        stopSessionRecording: decisions.stop,
        isSessionReplayActive: () => decisions.isActive() && !control.isRefusing(),
      });
      return () => {
        for (const stop of stops) stop();
        subscription?.remove();
        platform.timers.clear(idleTimer);
        decisions.end();
        control.end();
      };
    },
  };
}

/** What the options say, and where they do not, the project. */
function settingsOf({ options, remoteConfig }: ClientInternals, local: RecordingOptions) {
  const remote: unknown = remoteConfig()?.sessionRecording;
  const { masking, consoleLogRecordingEnabled } = isRecord(remote) ? remote : {};
  const { maskAllInputs = !isRecord(masking) || masking['maskAllInputs'] !== false, maskAllImages = true } = local;
  const { recordConsole = consoleLogRecordingEnabled === true } = local;
  const { api_host = '', paths, request_headers: requestHeaders = {} } = options();
  const host = api_host.replace(/\/+$/, '');
  return { host, path: paths?.replay ?? '/s/', requestHeaders, maskAllInputs, maskAllImages, recordConsole };
}
