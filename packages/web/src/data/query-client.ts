import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiFailure } from './api.js';

/** @param onLoggedOut the session has ended: an answer other than that of `me` was 401 */
export function createQueryClient(onLoggedOut: () => void): QueryClient {
  const onError = (error: Error) => {
    if (error instanceof ApiFailure && error.status === 401) onLoggedOut();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({
      // a log-in with a wrong password is refused by 401, too
      onError: (error, _variables, _result, mutation) => mutation.meta?.['isLogIn'] || onError(error),
    }),
    defaultOptions: {
      queries: {
        // the API client retries what can be retried
        retry: false,
        staleTime: 5_000,
        // answers stay on the screen until new ones are there
        placeholderData: (previous: unknown) => previous,
      },
    },
  });
}
