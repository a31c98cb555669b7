import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, type ErrorComponentProps, Link, Outlet } from '@tanstack/react-router';
import { ApiFailure } from '../data/api.js';
import { buttonClass } from '../ui/Button.js';
import { Fault, Message, NoPermission } from '../ui/states.js';

export interface RouterContext {
  queries: QueryClient;
}

export const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: Outlet,
  notFoundComponent: NothingHere,
  errorComponent: ScreenFault,
});

/** An address without a screen or thing. */
export function NothingHere() {
  return (
    <Message
      title="There is nothing at this address"
      action={
        <Link to="/" className={buttonClass()}>
          Go to the start
        </Link>
      }
    >
      It may have been deleted, or the link is incomplete.
    </Message>
  );
}

/** What is shown in place of a screen that failed. */
export function ScreenFault({ error, reset }: ErrorComponentProps) {
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof ApiFailure && error.status === 403)
    return <NoPermission what="this" needs="Somebody who manages access to the project can give you access." />;
  return <Fault title="This screen could not be shown" detail={text} onRetry={reset} />;
}
