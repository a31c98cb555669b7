import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, type ErrorComponentProps, Link, Outlet, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ApiFailure } from '../data/api.js';
import { buttonClass } from '../ui/Button.js';
import { PageHead } from '../ui/PageHead.js';
import { sentenceOf } from '../ui/sentence-of.js';
import { Fault, Message, NoPermission } from '../ui/states.js';

export interface RouterContext {
  queries: QueryClient;
}

export const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: Outlet,
  notFoundComponent: NothingHere,
  errorComponent: ScreenFault,
});

/** The list that an object of a project is in, by the address: the dashboards of `/p/7/dashboards/3`. */
const LIST = /^\/p\/[^/]+\/(cohorts|dashboards|experiments|flags|groups|insights|persons|recordings|surveys)\/[^/]+/;

/** The list that the object at the address is in; null: it is none. */
function useList(): { path: string; name: string } | null {
  const { pathname } = useLocation();
  const name = LIST.exec(pathname)?.[1];
  return name === undefined ? null : { name, path: pathname.slice(0, pathname.indexOf(name) + name.length) };
}

/** A message in place of a screen, below a head that leads to the list of the object, so that it is no dead end. */
function Headed({ title, children }: { title: string; children: ReactNode }) {
  const list = useList();
  return (
    <>
      <PageHead
        title={title}
        crumb={list && <Link to={list.path as string}>{list.name.charAt(0).toUpperCase() + list.name.slice(1)}</Link>}
      />
      {children}
    </>
  );
}

/** An address without a screen or thing. */
export function NothingHere() {
  return (
    <Headed title="Not found">
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
    </Headed>
  );
}

/** What is shown in place of a screen that failed. */
export function ScreenFault({ error, reset }: ErrorComponentProps) {
  const list = useList();
  const text = sentenceOf(error);
  if (error instanceof ApiFailure && error.status === 403)
    return (
      <Headed title="No access">
        <NoPermission
          what={list ? `this ${list.name.slice(0, -1)}` : 'this'}
          needs="Somebody who manages access to the project can give you access."
        />
      </Headed>
    );
  return (
    <Headed title="Not shown">
      <Fault title="This screen could not be shown" detail={text} onRetry={reset} />
    </Headed>
  );
}
