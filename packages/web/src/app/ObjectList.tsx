import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from '../ui/Button.js';
import { Message, Skeleton } from '../ui/states.js';
import { LoadFault } from './LoadFault.js';

/** The answer of a list that loads page by page. */
type PagedList = UseInfiniteQueryResult<InfiniteData<unknown>>;

export interface ObjectListProps {
  list: PagedList;
  /** The name of one object, such as "flag", and of several. */
  one: string;
  many: string;
  isEmpty: boolean;
  icon: ReactNode;
  /** Removes the search and the filters; null: there are none. */
  onShowAll: (() => void) | null;
  /** What the search and the filters leave out, as a sentence. */
  leftOut: string;
  /** What such an object is good for, as a sentence. */
  purpose: string;
  /** The way to create an object; null: the person may not. */
  create: ReactNode;
  /** Rows while the list loads. */
  rows?: number;
  /** The list, where it is not empty. */
  children: ReactNode;
}

/** The states of a list of objects: it loads, it failed, it is empty (with the next step), it is there. */
export function ObjectList({
  list,
  one,
  many,
  isEmpty,
  icon,
  onShowAll,
  leftOut,
  purpose,
  create,
  rows = 8,
  children,
}: ObjectListProps) {
  if (list.isPending) return <Skeleton rows={rows} />;
  const fault = list.error && <LoadFault what={many} error={list.error} onRetry={() => void list.refetch()} />;
  if (!list.data || !isEmpty)
    return (
      <>
        {fault}
        {list.data && children}
      </>
    );
  return (
    <>
      {fault}
      <Message
        icon={icon}
        title={onShowAll ? `No ${one} matches` : `No ${many} yet`}
        action={onShowAll ? <Button onPress={onShowAll}>{`Show all ${many}`}</Button> : create}
      >
        {onShowAll
          ? leftOut
          : `${purpose}${create ? '' : ` You can see ${many} and not create them: somebody who can edit ${many} creates them.`}`}
      </Message>
    </>
  );
}

/** Below a list: loads its next page. @param props.what such as "surveys" */
export const ShowMore = ({ list, what }: { list: PagedList; what: string }) =>
  list.hasNextPage && (
    <div className="px-6 py-3 max-sm:px-4">
      <Button busyLabel={list.isFetchingNextPage ? 'Loading…' : null} onPress={() => void list.fetchNextPage()}>
        {`Show more ${what}`}
      </Button>
    </div>
  );

/** The number of objects in a list, beside its title; nothing until it is known. */
export const ListCount = ({ count }: { count: number | undefined }) =>
  count !== undefined && <span className="tnum text-13 text-text-3">{count.toLocaleString('en')}</span>;
