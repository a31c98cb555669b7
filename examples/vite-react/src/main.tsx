import { AnalyticsProvider } from '@tidemark/react';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app';

const root = document.querySelector('#root');
if (!root) throw new Error('The page has no #root.');

createRoot(root).render(
  <StrictMode>
    <AnalyticsProvider
      apiKey={import.meta.env.VITE_TIDEMARK_PROJECT_KEY}
      options={{ api_host: import.meta.env.VITE_TIDEMARK_HOST, person_profiles: 'identified_only' }}
    >
      <App />
    </AnalyticsProvider>
  </StrictMode>,
);
