import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { ChartLine } from 'lucide-react';
import { useMayCreate } from '../../app/object-level.js';
import { useProjectId } from '../../app/project-context.js';
import { ApiFailure } from '../../data/api.js';
import { groupFilter, groupLabel, groupQuery, groupTypesQuery, manyOf, oneOf } from '../../data/groups.js';
import { newQuestion } from '../../query/question.js';
import { buttonClass } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { PageBar, PageBody, PageHead } from '../../ui/PageHead.js';
import { Segmented } from '../../ui/Segmented.js';
import { Fault, Message, NoPermission, Skeleton } from '../../ui/states.js';
import { GroupEvents, Related } from './GroupParts.js';
import { GroupProperties } from './GroupProperties.js';

const route = getRouteApi('/p/$project/groups/$type/$key');

/** One group: what is known of it, its people and its events. */
export function GroupScreen() {
  const project = useProjectId();
  const { type, key } = route.useParams();
  const { tab = 'people' } = route.useSearch();
  const navigate = useNavigate();
  const mayEdit = useMayCreate('group');
  const group = useQuery(groupQuery(project, type, key));
  const types = useQuery(groupTypesQuery(project));
  const groupType = types.data?.find((one) => one.group_type_index === type);
  const crumb = (
    <Link to={`/p/${project}/groups` as string} search={{ type } as never}>
      {groupType ? manyOf(groupType) : 'Groups'}
    </Link>
  );
  if (!group.data) {
    const status = group.error instanceof ApiFailure ? group.error.status : null;
    return (
      <>
        <PageHead crumb={crumb} title={key} />
        {group.isPending && <Skeleton rows={8} />}
        {status === 404 && (
          <Message title="There is no such group" action={crumb}>
            Its type or key may be misspelled in the address.
          </Message>
        )}
        {status === 403 && (
          <NoPermission what="groups" needs="Somebody who manages access to the project can give you access to groups." />
        )}
        {group.error && status !== 404 && status !== 403 && (
          <Fault title="The group could not be loaded" detail={group.error.message} onRetry={() => void group.refetch()} />
        )}
      </>
    );
  }
  const question = { ...newQuestion('TrendsQuery'), properties: [groupFilter(type, key)] };
  return (
    <>
      <PageHead
        crumb={crumb}
        title={groupLabel(key, group.data.group_properties)}
        badges={groupType && <span className="text-12 text-text-3">{oneOf(groupType)}</span>}
        actions={
          <Link
            to={`/p/${project}/insights/new` as string}
            search={{ q: JSON.stringify(question) } as never}
            className={buttonClass()}
            data-icon=""
          >
            <ChartLine size={14} aria-hidden />
            <span>Make an insight of it</span>
          </Link>
        }
      />
      <PageBar>
        <Segmented
          label="Part of the group"
          options={[
            { value: 'people', label: 'People' },
            { value: 'events', label: 'Events' },
            { value: 'groups', label: 'Other groups' },
          ]}
          value={tab}
          onChange={(next) =>
            void navigate({ to: '.', search: (next === 'people' ? {} : { tab: next }) as never, replace: true })
          }
        />
      </PageBar>
      <PageBody>
        <div className="grid grid-cols-[minmax(0,2fr)_minmax(260px,1fr)] items-start gap-3 max-lg:grid-cols-[minmax(0,1fr)]">
          <Card>
            {tab === 'events' ? <GroupEvents type={type} groupKey={key} /> : <Related type={type} groupKey={key} of={tab} />}
          </Card>
          <GroupProperties group={group.data} mayEdit={mayEdit} />
        </div>
      </PageBody>
    </>
  );
}
