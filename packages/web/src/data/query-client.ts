import { QueryClient } from '@tanstack/react-query';

export const createQueryClient = (): QueryClient =>
  new QueryClient({
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
