import './styles/app.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRouter, RouterProvider } from '@tanstack/react-router';
import { lazy, StrictMode, Suspense } from 'react';
import { I18nProvider } from 'react-aria-components';
import { createRoot } from 'react-dom/client';
import { listenToShortcuts } from './actions/actions.js';
import { parseSearch, stringifySearch } from './address/search.js';
import { keepFocus } from './app/keep-focus.js';
import { setLoggedOut } from './app/logged-out.js';
import { NothingHere, ScreenFault } from './app/root-route.js';
import { tellFailures } from './app/tell-failures.js';
import { followSystemTheme } from './app/theme.js';
import { isOutdated, listenToSessionEnd } from './data/api.js';
import { createQueryClient } from './data/query-client.js';
import { routeTree } from './routes.js';
import { preloadPartsLater } from './ui/lazy-part.js';

const queries = createQueryClient();
const router = createRouter({
  routeTree,
  context: { queries },
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  // TanStack Query decides how long answers stay
  defaultPreloadStaleTime: 0,
  defaultPendingMs: 300,
  scrollRestoration: true,
  defaultNotFoundComponent: NothingHere,
  // in place of the screen that failed: the navigation stays
  defaultErrorComponent: ScreenFault,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

// a tab that was left open over an upgrade loads the new app at its next navigation
router.subscribe('onBeforeNavigate', ({ pathChanged, toLocation }) => {
  if (pathChanged && isOutdated()) location.assign(toLocation.href);
});

// a service with TIDEMARK_SELF names a project here; otherwise nothing of the client is loaded
const selfKey = document.querySelector<HTMLMetaElement>('meta[name="tidemark-self"]')?.content;
const OwnUse = lazy(async () => ({ default: (await import('./app/OwnUse.js')).OwnUse }));

listenToSessionEnd(() => setLoggedOut(true));
followSystemTheme();
listenToShortcuts();
keepFocus();
tellFailures();
preloadPartsLater();
const root = document.getElementById('root');
if (!root) throw new Error('The page has no element for the app.');
createRoot(root).render(
  <StrictMode>
    {/* the words and the reading direction of controls are those of the app, not of the browser */}
    <I18nProvider locale="en-GB">
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
        {selfKey && (
          <Suspense>
            <OwnUse apiKey={selfKey} router={router} />
          </Suspense>
        )}
      </QueryClientProvider>
    </I18nProvider>
  </StrictMode>,
);
