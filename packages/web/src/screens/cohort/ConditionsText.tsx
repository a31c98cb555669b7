import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { useProjectId } from '../../app/project-context.js';
import { cohortsQuery } from '../../data/definitions.js';
import { Card } from '../../ui/Card.js';
import { behaviorText, filterText } from './condition-text.js';
import type { CohortDraft } from './draft.js';

/** The conditions of a cohort in words, for viewers, who cannot change them. */
export function ConditionsText({ draft: { match, groups } }: { draft: CohortDraft }) {
  const project = useProjectId();
  const { data: cohorts } = useQuery(cohortsQuery(project));
  const cohortName = (id: number) => cohorts?.results.find((one) => one.id === id)?.name ?? `cohort ${id}`;
  return (
    <Card className="p-4">
      <div className="grid gap-3">
        {groups.map((group, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: groups have no identity of their own
          <Fragment key={index}>
            {index > 0 && <p className="text-12 font-medium text-text-2">{match === 'AND' ? 'and' : 'or'}</p>}
            <div>
              <h2 className="text-13 font-strong">{`People who match ${group.match === 'AND' ? 'all' : 'any'} of these`}</h2>
              <ul className="mt-1 list-disc pl-5 text-13">
                {[...group.filters.map((one) => filterText(one, cohortName)), ...group.behaviors.map(behaviorText)].map(
                  (text) => (
                    <li key={text} className="wrap-anywhere">
                      {text}
                    </li>
                  ),
                )}
              </ul>
            </div>
          </Fragment>
        ))}
      </div>
    </Card>
  );
}
