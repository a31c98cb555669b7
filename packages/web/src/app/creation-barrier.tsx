import type { ReactNode } from 'react';
import { PageHead, type PageHeadProps } from '../ui/PageHead.js';
import { NoPermission, Skeleton } from '../ui/states.js';
import { useObjectLevel } from './object-level.js';

/**
 * What stands in place of the form of a new object: lines while it is not known whether the person may create it, then that they may not.
 * Null: they may.
 * @param what its name in the plural, such as "flags"
 */
export function useCreationBarrier(resource: string, what: string, head: Pick<PageHeadProps, 'crumb' | 'title'>): ReactNode {
  const level = useObjectLevel(resource)?.level;
  if (level === 'editor' || level === 'manager') return null;
  return (
    <>
      <PageHead {...head} />
      {level === undefined ? (
        <Skeleton rows={6} />
      ) : (
        <NoPermission verb="create" what={what} needs="Somebody who manages access to the project can let you." />
      )}
    </>
  );
}
