import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { readableName } from '@tidemark/charts';
import { useProject, useProjectId } from '../../app/project-context.js';
import { personEventsQuery, personQuery, recordingsQuery } from '../../data/persons.js';
import { propertyName } from '../../query/property-name.js';
import { Badge } from '../../ui/Badge.js';
import { Card } from '../../ui/Card.js';
import { CopyButton } from '../../ui/CodeBlock.js';
import { PageBody, PageHead } from '../../ui/PageHead.js';
import { Fault, Message, Skeleton } from '../../ui/states.js';
import { Time } from '../../ui/Time.js';

const route = getRouteApi('/p/$project/persons/$id');

/** One person: what is known of them, what they did, and their recordings. */
export function PersonScreen() {
  const project = useProjectId();
  const { id } = route.useParams();
  const { timezone } = useProject();
  const person = useQuery(personQuery(project, id));
  const events = useQuery(personEventsQuery(project, id));
  const recordings = useQuery(recordingsQuery(project, id));
  if (person.error)
    return <Fault title="This person could not be loaded" detail={person.error.message} onRetry={() => void person.refetch()} />;
  if (!person.data) return <Skeleton rows={8} />;
  const { name, properties, distinct_ids, is_identified, created_at } = person.data;
  return (
    <>
      <PageHead
        crumb={<Link to={`/p/${project}/persons` as string}>Persons</Link>}
        title={name}
        badges={is_identified ? null : <Badge>Not identified</Badge>}
      />
      <PageBody>
        <div className="grid grid-cols-[minmax(0,2fr)_minmax(260px,1fr)] items-start gap-3 max-lg:grid-cols-[minmax(0,1fr)]">
          <Card>
            <h2 className="px-4 py-3 text-13 font-strong">What they did, last 90 days</h2>
            {events.isPending && <Skeleton rows={6} />}
            {events.error && (
              <Fault title="Events could not be loaded" detail={events.error.message} onRetry={() => void events.refetch()} />
            )}
            {events.data?.results.length === 0 && <Message title="No events">Nothing in the last 90 days.</Message>}
            <ol className="divide-y divide-border border-t border-border">
              {events.data?.results.map((event) => {
                const address = event.properties['$pathname'] ?? event.properties['$current_url'];
                return (
                  <li key={event.id} className="flex min-h-[36px] items-center gap-3 px-4 text-13">
                    <span className="w-40 shrink-0 truncate font-medium max-sm:w-28">{readableName(event.event)}</span>
                    <span className="min-w-0 flex-1 truncate text-text-2">{typeof address === 'string' ? address : ''}</span>
                    <span className="text-12 text-text-3">
                      <Time at={event.timestamp} zone={timezone} />
                    </span>
                  </li>
                );
              })}
            </ol>
          </Card>
          <div className="grid min-w-0 gap-3">
            <Card className="p-4">
              <h2 className="mb-2 text-13 font-strong">What is known</h2>
              <dl className="grid text-12">
                <Fact name="First seen" value={<Time at={created_at} zone={timezone} />} />
                {Object.entries(properties).map(([key, value]) => (
                  <Fact key={key} name={propertyName(key)} value={typeof value === 'string' ? value : JSON.stringify(value)} />
                ))}
              </dl>
            </Card>
            <Card className="p-4">
              <h2 className="mb-2 text-13 font-strong">Ids that are this person</h2>
              <ul className="grid gap-1">
                {distinct_ids.slice(0, 20).map((one) => (
                  <li key={one} className="flex items-center gap-2">
                    <code className="min-w-0 flex-1 truncate font-mono text-12">{one}</code>
                    <CopyButton text={one} what={`the id ${one}`} />
                  </li>
                ))}
              </ul>
              {distinct_ids.length > 20 && <p className="mt-2 text-12 text-text-3">and {distinct_ids.length - 20} more</p>}
            </Card>
            <Card className="p-4">
              <h2 className="mb-2 text-13 font-strong">Recordings</h2>
              {recordings.data?.results.length === 0 && <p className="text-12 text-text-3">No session was recorded.</p>}
              <ul className="grid gap-1 text-13">
                {recordings.data?.results.map((one) => (
                  <li key={one.id} className="flex justify-between gap-2">
                    <Link to={`/p/${project}/recordings/${one.id}` as string} className="truncate">
                      {one.start_url ?? 'Session'}
                    </Link>
                    <span className="text-12 text-text-3">
                      <Time at={one.start_time} zone={timezone} />
                    </span>
                  </li>
                ))}
              </ul>
            </Card>
          </div>
        </div>
      </PageBody>
    </>
  );
}

const Fact = ({ name, value }: { name: string; value: React.ReactNode }) => (
  <div className="grid grid-cols-[minmax(90px,2fr)_3fr] gap-2 border-b border-border py-1 last:border-0">
    <dt className="truncate text-text-2" title={name}>
      {name}
    </dt>
    <dd className="wrap-anywhere">{value}</dd>
  </div>
);
