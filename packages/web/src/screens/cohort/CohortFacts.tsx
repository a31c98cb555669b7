import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useProject, useProjectId } from '../../app/project-context.js';
import { type Cohort, cohortUsersQuery } from '../../data/cohorts.js';
import { Card } from '../../ui/Card.js';
import { Time } from '../../ui/Time.js';

/** When it was counted, by whom it was made, and what uses it. */
export function CohortFacts({ cohort }: { cohort: Cohort }) {
  const project = useProjectId();
  const { timezone } = useProject();
  const users = useQuery(cohortUsersQuery(project, cohort.id));
  const { count, last_calculation: counted, errors_calculating: errors, created_by: by, created_at: created } = cohort;
  const isUsed = users.data && users.data.flags.length + users.data.cohorts.length + users.data.hidden > 0;
  return (
    <Card className="p-4">
      <dl className="grid gap-3 text-13">
        <div>
          <dt className="text-12 font-medium text-text-2">People when last counted</dt>
          <dd className="tnum">
            {count === null ? 'Not counted yet' : count.toLocaleString('en')}
            {counted && (
              <span className="text-text-3">
                , <Time at={counted} zone={timezone} />
              </span>
            )}
            {errors > 0 && <p className="text-bad">The last count failed. Insights and flags still use the conditions.</p>}
          </dd>
        </div>
        <div>
          <dt className="text-12 font-medium text-text-2">Created</dt>
          <dd>
            <Time at={created} zone={timezone} /> by {by ? by.first_name || by.email : 'a deleted user'}
          </dd>
        </div>
        <div>
          <dt className="text-12 font-medium text-text-2">Used by</dt>
          <dd>
            {users.isPending && <span className="text-text-3">…</span>}
            {users.error && <span className="text-bad">{users.error.message}</span>}
            {users.data && !isUsed && <span className="text-text-2">No flag and no other cohort</span>}
            <ul>
              {users.data?.flags.map(({ id, key }) => (
                <li key={`f${id}`}>
                  Flag <Link to={`/p/${project}/flags/${id}` as string}>{key}</Link>
                </li>
              ))}
              {users.data?.cohorts.map(({ id, name }) => (
                <li key={`c${id}`}>
                  Cohort <Link to={`/p/${project}/cohorts/${id}` as string}>{name || id}</Link>
                </li>
              ))}
              {!!users.data?.hidden && <li>{`${users.data.hidden} that you cannot see`}</li>}
            </ul>
          </dd>
        </div>
      </dl>
    </Card>
  );
}
