import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, type ErrorComponentProps, Link, Outlet } from '@tanstack/react-router';
import { ApiFailure } from '../data/api.js';
import { Button } from '../ui/Button.js';
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
    <Message title="There is nothing at this address" action={<Link to="/">Go to the start</Link>}>
      It may have been deleted, or the link is incomplete.
    </Message>
  );
}

/** What is shown in place of a screen that failed. */
export function ScreenFault({ error, reset }: ErrorComponentProps) {
  const text = error instanceof Error ? error.message : String(error);
  // a part of the app that is gone after an upgrade: the page loads the new one
  if (/dynamically imported module|Importing a module script failed|error loading dynamically/i.test(text))
    return (
      <Message
        title="Tidemark was upgraded"
        action={
          <Button kind="primary" onPress={() => location.reload()}>
            Load the new version
          </Button>
        }
      >
        This tab is older than the service. What you have saved stays.
      </Message>
    );
  if (error instanceof ApiFailure && error.status === 403)
    return <NoPermission what="this" needs="Somebody who manages access to the project can give you access." />;
  return <Fault title="This screen could not be shown" detail={text} onRetry={reset} />;
}
