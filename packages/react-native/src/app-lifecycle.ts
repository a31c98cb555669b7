import { type Feature, isRecord, type Properties } from '@tidemark/client';
import type { AppInfo, AppStatePort } from './ports.js';

/** Captures that the app was installed, updated, opened and left. */
export function appLifecycle({ version, build }: AppInfo = {}, appState?: AppStatePort): Feature {
  const present: Properties = { ...(version === undefined ? {} : { version }), ...(build === undefined ? {} : { build }) };
  return {
    name: 'app-lifecycle',
    setup: (client, { slot }) => {
      const marker = slot('app', (stored) => (isRecord(stored) ? stored : undefined));
      const before = marker.get();
      if (!before) client.capture('Application Installed', present);
      else if (before['version'] !== version || before['build'] !== build) {
        client.capture('Application Updated', {
          ...present,
          ...(before['version'] === undefined ? {} : { previous_version: before['version'] }),
          ...(before['build'] === undefined ? {} : { previous_build: before['build'] }),
        });
      }
      marker.set(present);
      client.capture('Application Opened', { ...present, from_background: false });

      let away = false;
      const subscription = appState?.addEventListener('change', (state) => {
        if (state === 'background' && !away) {
          away = true;
          client.capture('Application Backgrounded');
        } else if (state === 'active' && away) {
          away = false;
          client.capture('Application Opened', { ...present, from_background: true });
        }
      });
      return () => subscription?.remove();
    },
  };
}
