import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useProject, useProjectId } from '../../app/project-context.js';
import { PERSONS_PAGE, personsQuery } from '../../data/persons.js';
import { Badge } from '../../ui/Badge.js';
import { buttonClass } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { PageBody, PageHead } from '../../ui/PageHead.js';
import { SearchField } from '../../ui/SearchField.js';
import { Fault, Message, Skeleton } from '../../ui/states.js';
import { Time } from '../../ui/Time.js';

const route = getRouteApi('/p/$project/persons');

/** The people whose events came in. */
export function PersonsScreen() {
  const project = useProjectId();
  const { timezone } = useProject();
  const { search = '' } = route.useSearch();
  const navigate = useNavigate();
  const persons = useQuery(personsQuery(project, search));
  const people = persons.data?.results;
  return (
    <>
      <PageHead title="Persons" />
      <PageBody>
        <div className="mb-3 max-w-80">
          <SearchField
            label="Search by e-mail, name or id"
            value={search}
            onChange={(text) => void navigate({ to: '.', search: { search: text || undefined } as never, replace: true })}
          />
        </div>
        <Card>
          {persons.isPending && <Skeleton rows={8} />}
          {persons.error && (
            <Fault title="People could not be loaded" detail={persons.error.message} onRetry={() => void persons.refetch()} />
          )}
          {people?.length === 0 && (
            <Message
              title={search ? `Nobody matches "${search}"` : 'Nobody yet'}
              action={
                search ? null : (
                  <Link to={`/p/${project}/install` as string} className={buttonClass('primary')}>
                    Install Tidemark
                  </Link>
                )
              }
            >
              People appear with their first event, and get a name when your code identifies them.
            </Message>
          )}
          <ul className="divide-y divide-border">
            {people?.map(({ uuid, name, properties, is_identified, created_at }) => (
              <li key={uuid} className="relative flex min-h-[50px] items-center gap-3 px-4 py-2 hover:bg-hover">
                <div className="min-w-0 flex-1">
                  <Link
                    to={`/p/${project}/persons/${uuid}` as string}
                    className="block truncate font-medium text-text after:absolute after:inset-0"
                  >
                    {name}
                  </Link>
                  <p className="truncate text-12 text-text-3">
                    {[properties['$geoip_city_name'], properties['$geoip_country_name'], properties['$browser']]
                      .filter((one) => typeof one === 'string')
                      .join(', ')}
                  </p>
                </div>
                {!is_identified && <Badge>Not identified</Badge>}
                <span className="text-12 text-text-3">
                  first seen <Time at={created_at} zone={timezone} />
                </span>
              </li>
            ))}
          </ul>
          {people?.length === PERSONS_PAGE && (
            <p className="border-t border-border p-3 text-12 text-text-3">The latest {PERSONS_PAGE}. Search to find others.</p>
          )}
        </Card>
      </PageBody>
    </>
  );
}
