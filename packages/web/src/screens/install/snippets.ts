import type { Platform } from './platforms.js';

export interface Step {
  title: string;
  /** Names the snippet for the copy button. */
  what: string;
  code: string;
  help?: string;
}

/** The steps of a platform, with the key and the address of the service filled in. */
export function stepsOf(platform: Platform, host: string, key: string): Step[] {
  switch (platform) {
    case 'html':
      return [
        {
          title: 'Put this before </body> of every page',
          what: 'the snippet',
          code: `<script async src="${host}/static/tidemark.js" data-api-key="${key}"></script>`,
          help: 'It sends page views and clicks. For events of your own: window.tidemark.capture("signed up")',
        },
      ];
    case 'react':
      return [
        { title: 'Add the package', what: 'the command', code: 'npm install @tidemark/react' },
        {
          title: 'Put the provider around your app',
          what: 'the provider',
          code: `import { AnalyticsProvider } from '@tidemark/react';

createRoot(document.getElementById('root')).render(
  <AnalyticsProvider apiKey="${key}" options={{ api_host: '${host}' }}>
    <App />
  </AnalyticsProvider>,
);`,
          help: 'It captures page views, clicks, changed inputs and submitted forms.',
        },
        {
          title: 'Capture an event of your own',
          what: 'the call',
          code: `import { useAnalytics } from '@tidemark/react';

const analytics = useAnalytics();
<button onClick={() => analytics?.capture('signed up', { plan: 'free' })}>Sign up</button>`,
        },
      ];
    case 'nextjs':
      return [
        { title: 'Add the package', what: 'the command', code: 'npm install @tidemark/react' },
        {
          title: 'Make app/providers.tsx, and put it around the children of app/layout.tsx',
          what: 'the provider',
          code: `'use client';
import { AnalyticsProvider } from '@tidemark/react';

export function Providers({ children }: { children: React.ReactNode }) {
  return (
    <AnalyticsProvider apiKey="${key}" options={{ api_host: '${host}' }}>
      {children}
    </AnalyticsProvider>
  );
}`,
        },
      ];
    case 'node':
      return [
        { title: 'Add the package', what: 'the command', code: 'npm install @tidemark/node' },
        {
          title: 'Capture an event',
          what: 'the code',
          code: `import { init } from '@tidemark/node';

const analytics = init('${key}', { host: '${host}' });
analytics.capture({ distinctId: 'user-1', event: 'signed up', properties: { plan: 'free' } });
await analytics.shutdown();`,
        },
      ];
    case 'react-native':
      return [
        {
          title: 'Add the packages',
          what: 'the command',
          code: 'npm install @tidemark/react-native @react-native-async-storage/async-storage',
        },
        {
          title: 'Make a client, and put the provider around your app',
          what: 'the provider',
          code: `import AsyncStorage from '@react-native-async-storage/async-storage';
import { AnalyticsProvider, init } from '@tidemark/react-native';

const client = init('${key}', { host: '${host}', storage: AsyncStorage });

export const Root = () => (
  <AnalyticsProvider client={client}>
    <App />
  </AnalyticsProvider>
);`,
        },
      ];
    case 'curl':
      return [
        {
          title: 'Send one event from anywhere',
          what: 'the command',
          code: `curl "${host}/capture/" -H 'Content-Type: application/json' \\
  -d '{"api_key": "${key}", "event": "signed up", "distinct_id": "user-1", "properties": {"plan": "free"}}'`,
        },
      ];
    case 'posthog':
      return [
        {
          title: 'Change the host and the key',
          what: 'the call',
          code: `posthog.init('${key}', { api_host: '${host}' });`,
          help: 'The rest of your code stays: posthog-js, posthog-node and the other SDKs speak to this service as they are.',
        },
      ];
  }
}
