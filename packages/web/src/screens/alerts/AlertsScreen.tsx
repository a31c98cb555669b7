import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Bell } from 'lucide-react';
import { useMemo } from 'react';
import { LoadFault } from '../../app/LoadFault.js';
import { ListCount } from '../../app/ObjectList.js';
import { useObjectLevel } from '../../app/object-level.js';
import { useProject, useProjectId } from '../../app/project-context.js';
import { alertListQuery } from '../../data/alerts.js';
import { AlertBadge } from '../../insight/alerts/AlertBadge.js';
import { conditionText, intervalText, valueText } from '../../insight/alerts/alert-text.js';
import { InsightTabs } from '../../insight/InsightTabs.js';
import { Button, buttonClass } from '../../ui/Button.js';
import { PageBar, PageHead } from '../../ui/PageHead.js';
import { SearchField } from '../../ui/SearchField.js';
import { Message, NoPermission, Skeleton } from '../../ui/states.js';
import { Time } from '../../ui/Time.js';
import { VirtualRows } from '../../ui/VirtualRows.js';

const route = getRouteApi('/p/$project/insights/alerts');

const COLUMNS =
  'grid grid-cols-[minmax(0,5fr)_minmax(0,4fr)_110px_120px_110px] items-center gap-x-4 px-6 max-lg:grid-cols-[minmax(0,1fr)_auto] max-sm:px-4';

/** All alerts of the project, firing ones first. Each row opens its alert on its insight. */
export function AlertsScreen() {
  const project = useProjectId();
  const { timezone } = useProject();
  const { search = '' } = route.useSearch();
  const navigate = useNavigate();
  const list = useInfiniteQuery({ ...alertListQuery(project, search), placeholderData: keepPreviousData });
  const alerts = useMemo(() => list.data?.pages.flatMap(({ results }) => results) ?? [], [list.data]);
  const count = list.data?.pages[0]?.count;
  // the list has the alerts of the insights that somebody may see
  const isClosed = useObjectLevel('insight')?.level === 'none' && count === 0;
  const setSearch = (text: string) => void navigate({ to: '.', search: { search: text || undefined } as never, replace: true });
  return (
    <>
      <PageHead title="Alerts" badges={<ListCount count={count} />} />
      <PageBar>
        <InsightTabs selected="alerts" />
        <div className="w-64 max-sm:w-full">
          <SearchField label="Search alerts" value={search} onChange={setSearch} />
        </div>
      </PageBar>
      {list.isPending && <Skeleton rows={8} />}
      {list.error && <LoadFault what="alerts" error={list.error} onRetry={() => void list.refetch()} />}
      {isClosed && (
        <NoPermission what="alerts" needs="Somebody who manages access to the project can give you access to insights." />
      )}
      {list.data && alerts.length === 0 && !isClosed && (
        <Message
          icon={<Bell size={16} aria-hidden />}
          title={search ? 'No alert matches' : 'No alerts yet'}
          action={
            search ? (
              <Button onPress={() => setSearch('')}>Show all alerts</Button>
            ) : (
              <Link to={`/p/${project}/insights` as string} className={buttonClass()}>
                Open an insight
              </Link>
            )
          }
        >
          {search
            ? 'Their names are searched.'
            : 'An alert tells when a number of an insight leaves its bounds. Make one with the bell of an insight that is a trend.'}
        </Message>
      )}
      {alerts.length > 0 && (
        <VirtualRows
          label="Alerts"
          items={alerts}
          keyOf={({ id }) => id}
          height={50}
          columns={COLUMNS}
          hasMore={list.hasNextPage && !list.isFetchingNextPage}
          loadMore={() => void list.fetchNextPage()}
          head={
            <>
              <span>Alert</span>
              <span>Fires</span>
              <span className="text-right">Last value</span>
              <span>State</span>
              <span className="text-right">Checked</span>
            </>
          }
          render={(alert) => (
            <>
              <span className="min-w-0">
                <Link
                  to={`/p/${project}/insights/${alert.insight_short_id}` as string}
                  search={{ alert: alert.id } as never}
                  className="block truncate text-13 font-medium text-text after:absolute after:inset-0"
                >
                  {alert.name}
                </Link>
                <span className="block truncate text-12 text-text-3">
                  {alert.insight_name || alert.insight_derived_name || 'Untitled'}
                </span>
              </span>
              <span className="truncate text-13 text-text-2 max-lg:hidden">
                {conditionText(alert)}, {intervalText(alert)}
              </span>
              <span className="tnum truncate text-right text-13 max-lg:hidden">
                {alert.last_value === null ? '' : valueText(alert, alert.last_value)}
              </span>
              <span>
                <AlertBadge alert={alert} />
              </span>
              <span className="truncate text-right text-13 text-text-2 max-lg:hidden">
                {alert.last_checked_at && <Time at={alert.last_checked_at} zone={timezone} />}
              </span>
            </>
          )}
        />
      )}
    </>
  );
}
