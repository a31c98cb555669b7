import { addEarlyEvent, type Feature, type ReplayBeginnings, type ReplayDecisions } from '@tidemark/client';
import { whenIdle } from '../when-idle.js';
import type { ReplayOptions } from './options.js';

/**
 * Records sessions when the project does. The recorder is loaded only then.
 * @example init('tmk_…', { features: [replay({ maskTextSelector: '.salary' })] })
 */
export function replay(given: ReplayOptions = {}): Feature {
  return {
    name: 'replay',
    setup(client, internals) {
      const early: ReplayBeginnings = { events: new Set(), reason: undefined };
      let controller: ReplayDecisions | undefined;
      let loading = false;
      let wanted = true;
      let ended = false;

      const local = (): ReplayOptions | undefined => {
        const { session_recording: option } = internals.options();
        return option === false ? undefined : { ...given, ...(typeof option === 'object' ? option : {}) };
      };
      const load = () => {
        if (controller || loading || ended || !wanted) return;
        if (client.isOptedOut() || !local() || !internals.remoteConfig()?.sessionRecording) return;
        loading = true;
        // the page comes first
        whenIdle(() => {
          import('./controller.js').then(
            // in another task than the evaluation of its code
            ({ createController }) =>
              internals.platform.timers.set(() => {
                if (ended) return;
                controller = internals.guard(() => createController(client, internals, { local, early }));
                if (!wanted) controller?.stop();
              }, 0),
            (error) => {
              loading = false;
              internals.log.warn('The session recorder could not be loaded.', error);
            },
          );
        });
      };

      internals.extend({
        startSessionRecording() {
          wanted = true;
          if (controller) controller.start();
          else load();
        },
        stopSessionRecording() {
          wanted = false;
          controller?.stop();
        },
        isSessionReplayActive: () => !!controller?.isActive(),
      });
      const stops = [
        client.on('eventCaptured', ({ event }) => {
          if (!controller) addEarlyEvent(early, event);
        }),
        client.on('session', ({ reason }) => {
          early.reason = reason;
          early.events.clear();
        }),
        client.on('config', load),
        client.on('consent', load),
      ];
      load();
      return () => {
        ended = true;
        for (const stop of stops) stop();
        controller?.end();
      };
    },
  };
}
