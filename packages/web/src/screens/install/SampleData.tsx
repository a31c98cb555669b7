import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMayCreate } from '../../app/object-level.js';
import { useProjectId } from '../../app/project-context.js';
import { loadSampleData, removeSampleData, sampleDataQuery } from '../../data/sample-data.js';
import { Button, buttonClass } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';

/** Sample data in and out, so that every screen can be tried before any code. */
export function SampleData() {
  const project = useProjectId();
  const queries = useQueryClient();
  const sample = useQuery(sampleDataQuery(project));
  const mayChange = useMayCreate('project_settings');
  const change = useMutation({
    mutationFn: (isIn: boolean) => (isIn ? loadSampleData(project) : removeSampleData(project)),
    onSettled: () => queries.invalidateQueries({ queryKey: ['project', project] }),
  });
  // who may neither load nor open it has no use for it
  if (!sample.data || (!mayChange && sample.data.state !== 'loaded')) return null;
  const { state, done, total, error, dashboard_id } = sample.data;
  const isBusy = state === 'loading' || state === 'removing' || change.isPending;
  return (
    <Card className="p-4">
      <h2 className="text-13 font-strong">Try it with sample data</h2>
      <p className="mt-1 text-12 text-text-2">
        60 days of an invented shop: events, people, flags, an experiment, a dashboard. It is marked, and can be removed whole.
        What you send yourself stays.
      </p>
      {state === 'loading' && (
        <div className="mt-3">
          <div
            role="progressbar"
            aria-label="Sample data"
            aria-valuenow={done ?? 0}
            aria-valuemin={0}
            aria-valuemax={total ?? 1}
            className="h-1.5 overflow-hidden rounded-full bg-sunken"
          >
            <div className="h-full bg-accent" style={{ width: `${(100 * (done ?? 0)) / Math.max(1, total ?? 1)}%` }} />
          </div>
          <p className="tnum mt-1 text-12 text-text-3">
            {(done ?? 0).toLocaleString('en')} of {(total ?? 0).toLocaleString('en')} events
          </p>
        </div>
      )}
      {state === 'removing' && <p className="mt-3 text-12 text-text-3">Removing…</p>}
      {(error || change.error) && (
        <p role="alert" className="mt-3 text-12 text-bad">
          {error ?? change.error?.message}
        </p>
      )}
      <div className="mt-3 flex gap-2">
        {mayChange && (state === 'none' || state === 'failed') && (
          <Button isDisabled={isBusy} onPress={() => change.mutate(true)}>
            Load sample data
          </Button>
        )}
        {state === 'loaded' && (
          <>
            {dashboard_id && (
              <Link to={`/p/${project}/dashboards/${dashboard_id}` as string} className={buttonClass('primary')}>
                Open its dashboard
              </Link>
            )}
            {mayChange && (
              <Button kind="danger" isDisabled={isBusy} onPress={() => change.mutate(false)}>
                Remove sample data
              </Button>
            )}
          </>
        )}
      </div>
    </Card>
  );
}
