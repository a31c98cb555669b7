import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useProjectId } from '../../app/project-context.js';
import { cohortCountQuery } from '../../data/cohorts.js';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { useSettled } from '../../ui/use-settled.js';

/** How many people the conditions hold for, counted while they are edited. @param props.filters null: they are not complete */
export function CohortCount({ filters }: { filters: Record<string, unknown> | null }) {
  const project = useProjectId();
  const settled = useSettled(JSON.stringify(filters));
  const wanted = useMemo((): Record<string, unknown> | null => JSON.parse(settled), [settled]);
  const count = useQuery({ ...cohortCountQuery(project, wanted), placeholderData: keepPreviousData });
  const isOld = count.isFetching || settled !== JSON.stringify(filters);
  return (
    <Card className="p-4">
      <h2 className="text-13 font-strong">These conditions hold for</h2>
      {filters === null ? (
        <p className="mt-1 text-13 text-text-2">Add a condition, and its people are counted.</p>
      ) : count.error ? (
        <div role="alert" className="mt-1 grid gap-2 text-13 text-bad">
          <p>{count.error.message}</p>
          <div>
            <Button isSmall onPress={() => void count.refetch()}>
              Try again
            </Button>
          </div>
        </div>
      ) : (
        <div aria-live="polite" className={isOld ? 'opacity-45' : ''}>
          <p className="tnum mt-1 text-28 font-strong">{count.data ? count.data.matching.toLocaleString('en') : '…'}</p>
          {count.data && (
            <>
              <p className="text-12 text-text-2">{`of ${count.data.total.toLocaleString('en')} people, ${shareOf(count.data)}`}</p>
              <span aria-hidden className="mt-2 block h-1 overflow-hidden rounded-full bg-border">
                <span
                  className="block h-full bg-accent"
                  style={{ width: `${(100 * count.data.matching) / Math.max(1, count.data.total)}%` }}
                />
              </span>
            </>
          )}
        </div>
      )}
    </Card>
  );
}

const shareOf = ({ matching, total }: { matching: number; total: number }): string =>
  total === 0 ? 'there is nobody yet' : `${((100 * matching) / total).toFixed(1).replace('.0', '')}%`;
