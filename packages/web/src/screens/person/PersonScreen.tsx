import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useProjectId } from '../../app/project-context.js';
import { ApiFailure } from '../../data/api.js';
import { personQuery } from '../../data/persons.js';
import { Badge } from '../../ui/Badge.js';
import { PageBar, PageBody, PageHead } from '../../ui/PageHead.js';
import { Segmented } from '../../ui/Segmented.js';
import { Fault, Message, NoPermission, Skeleton } from '../../ui/states.js';
import { PersonFacts } from './PersonFacts.js';
import { PersonFlags } from './PersonFlags.js';
import { PersonGroups } from './PersonGroups.js';
import { PersonMenu } from './PersonMenu.js';
import { PersonRecordings } from './PersonRecordings.js';
import type { PersonSearch, PersonTab } from './route.js';
import { Timeline } from './Timeline.js';

const route = getRouteApi('/p/$project/persons/$id');

const TABS: readonly { value: PersonTab; label: string }[] = [
  { value: 'events', label: 'What they did' },
  { value: 'flags', label: 'Flags' },
  { value: 'groups', label: 'Groups' },
  { value: 'recordings', label: 'Recordings' },
];

/** One person: what they did, what they get, where they belong, and what is known of them. */
export function PersonScreen() {
  const project = useProjectId();
  const { id } = route.useParams();
  const { tab = 'events' } = route.useSearch();
  const navigate = useNavigate();
  const person = useQuery(personQuery(project, id));
  const crumb = <Link to={`/p/${project}/persons` as string}>Persons</Link>;
  if (!person.data) {
    const status = person.error instanceof ApiFailure ? person.error.status : null;
    return (
      <>
        <PageHead crumb={crumb} title="Person" />
        {person.isPending && <Skeleton rows={8} />}
        {status === 404 && (
          <Message title="There is no such person" action={crumb}>
            They may have been deleted, or were merged with somebody else: search for one of their ids.
          </Message>
        )}
        {status === 403 && (
          <NoPermission what="people" needs="Somebody who manages access to the project can give you access to persons." />
        )}
        {person.error && status !== 404 && status !== 403 && (
          <Fault title="This person could not be loaded" detail={person.error.message} onRetry={() => void person.refetch()} />
        )}
      </>
    );
  }
  const { uuid, name, distinct_ids: ids, is_identified: isIdentified } = person.data;
  const choose = (next: PersonTab) =>
    void navigate({ to: '.', search: (next === 'events' ? {} : { tab: next }) as PersonSearch as never, replace: true });
  return (
    <>
      <PageHead
        crumb={crumb}
        title={name}
        badges={isIdentified ? null : <Badge>Not identified</Badge>}
        actions={<PersonMenu person={person.data} />}
      />
      <PageBar>
        <Segmented label="Part of the person" options={TABS} value={tab} onChange={choose} />
      </PageBar>
      <PageBody>
        <div className="grid grid-cols-[minmax(0,2fr)_minmax(260px,1fr)] items-start gap-3 max-lg:grid-cols-[minmax(0,1fr)]">
          <div className="min-w-0">
            {tab === 'events' && <Timeline person={uuid} />}
            {tab === 'flags' && <PersonFlags distinctId={ids[0] ?? ''} />}
            {tab === 'groups' && <PersonGroups person={uuid} />}
            {tab === 'recordings' && <PersonRecordings person={uuid} />}
          </div>
          <PersonFacts person={person.data} />
        </div>
      </PageBody>
    </>
  );
}
