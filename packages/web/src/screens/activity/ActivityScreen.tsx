import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { History } from 'lucide-react';
import { ListCount } from '../../app/ObjectList.js';
import { useProject, useProjectId } from '../../app/project-context.js';
import { useSearchChange } from '../../app/use-search-change.js';
import { activityLogQuery, LOG_PAGE } from '../../data/activity.js';
import { membersQuery } from '../../data/members.js';
import { DateRangePicker } from '../../filter/DateRangePicker.js';
import { Button } from '../../ui/Button.js';
import { PageBar, PageHead } from '../../ui/PageHead.js';
import { Select } from '../../ui/Select.js';
import { Fault, Message, Skeleton } from '../../ui/states.js';
import { EntryRow } from './EntryRow.js';
import { SCOPES } from './entry-text.js';
import type { ActivitySearch } from './route.js';

const route = getRouteApi('/p/$project/activity');

/** No filter, in the menus. */
const ALL = 'all';

/** Who changed what in the project, and when. */
export function ActivityScreen() {
  const project = useProjectId();
  const { organization } = useProject();
  const { page = 1, open, ...filter } = route.useSearch();
  const log = useQuery({ ...activityLogQuery(project, filter, page), placeholderData: keepPreviousData });
  const members = useQuery(membersQuery(organization));
  const set = useSearchChange<ActivitySearch>();
  const filterBy = (next: Parameters<typeof set>[0]) => set({ ...next, page: undefined, open: undefined });
  const isFiltered = Object.keys(filter).length > 0;
  const people = (members.data ?? []).map(({ user }) => ({ value: user.uuid, label: user.first_name || user.email }));
  const count = log.data?.count ?? 0;
  const last = Math.max(1, Math.ceil(count / LOG_PAGE));
  return (
    <>
      <PageHead title="Activity" badges={<ListCount count={log.data && count} />} />
      <PageBar>
        <DateRangePicker
          range={filter.from ? { from: filter.from, to: filter.to ?? null } : null}
          onChange={({ from, to }) => filterBy({ from: from === 'all' ? undefined : from, to: to ?? undefined })}
        />
        <div className="w-44">
          <Select
            label="Who"
            hideLabel
            isSmall
            options={[{ value: ALL, label: 'Anybody' }, ...people]}
            value={filter.user ?? ALL}
            onChange={(user) => filterBy({ user: user === ALL ? undefined : user })}
          />
        </div>
        <div className="w-52">
          <Select
            label="What"
            hideLabel
            isSmall
            options={[{ value: ALL, label: 'Everything' }, ...SCOPES.map(({ scope, label }) => ({ value: scope, label }))]}
            value={filter.scope ?? ALL}
            onChange={(scope) => filterBy({ scope: scope === ALL ? undefined : scope })}
          />
        </div>
      </PageBar>
      {log.isPending && <Skeleton rows={12} />}
      {log.error && <Fault title="The log could not be loaded" detail={log.error.message} onRetry={() => void log.refetch()} />}
      {log.data?.results.length === 0 && (
        <Message
          icon={<History size={16} aria-hidden />}
          title={isFiltered ? 'Nothing matches' : 'Nothing was changed yet'}
          action={
            isFiltered && (
              <Button onPress={() => filterBy({ scope: undefined, user: undefined, from: undefined, to: undefined })}>
                Show everything
              </Button>
            )
          }
        >
          {isFiltered
            ? 'Other people, days and kinds of things are left out.'
            : 'Changes of dashboards, insights and flags appear here, with who made them and what was there before.'}
        </Message>
      )}
      {log.data && log.data.results.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
        <div tabIndex={0} className="min-h-0 flex-1 overflow-y-auto bg-surface -outline-offset-2">
          <ul aria-label="Changes" className="divide-y divide-border">
            {log.data.results.map((entry) => (
              <EntryRow
                key={entry.id}
                entry={entry}
                isOpen={open === entry.id}
                onToggle={() => set({ open: open === entry.id ? undefined : entry.id })}
              />
            ))}
          </ul>
          {last > 1 && (
            <nav aria-label="Pages" className="flex items-center gap-2 border-t border-border px-6 py-2 max-sm:px-4">
              <Button isSmall isDisabled={page <= 1} onPress={() => set({ page: page === 2 ? undefined : page - 1 })}>
                Newer
              </Button>
              <Button isSmall isDisabled={page >= last} onPress={() => set({ page: page + 1 })}>
                Older
              </Button>
              <span className="tnum text-12 text-text-2">{`Page ${page} of ${last}`}</span>
            </nav>
          )}
        </div>
      )}
    </>
  );
}
