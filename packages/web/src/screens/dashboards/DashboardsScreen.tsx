import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Globe, LayoutDashboard, Pin, PinOff, Plus } from 'lucide-react';
import { useState } from 'react';
import { useNewShortcut } from '../../actions/use-new-shortcut.js';
import { LoadFault } from '../../app/LoadFault.js';
import { NewDashboardDialog } from '../../app/NewDashboardDialog.js';
import { useMayCreate } from '../../app/object-level.js';
import { useProject, useProjectId } from '../../app/project-context.js';
import { useSearchChange } from '../../app/use-search-change.js';
import { type DashboardRow, dashboardsQuery, mayEdit, refreshDashboards, updateDashboard } from '../../data/dashboards.js';
import { Badge } from '../../ui/Badge.js';
import { Button } from '../../ui/Button.js';
import { IconButton } from '../../ui/IconButton.js';
import { PageBar, PageHead } from '../../ui/PageHead.js';
import { SearchField } from '../../ui/SearchField.js';
import { Message, Skeleton } from '../../ui/states.js';
import { Time } from '../../ui/Time.js';
import { toast } from '../../ui/toast.js';
import { VirtualRows } from '../../ui/VirtualRows.js';

const route = getRouteApi('/p/$project/dashboards');

/** Height of a row in pixels, also on phones. */
const ROW = 52;
const COLUMNS =
  'grid grid-cols-[16px_minmax(0,1fr)_auto_120px_96px_28px] items-center gap-x-3 px-6 max-lg:grid-cols-[16px_minmax(0,1fr)_auto_28px] max-sm:px-4';

/** The dashboards of the project, pinned ones first. */
export function DashboardsScreen() {
  const project = useProjectId();
  const { search = '' } = route.useSearch();
  const set = useSearchChange<{ search?: string }>();
  const queries = useQueryClient();
  const dashboards = useQuery(dashboardsQuery(project));
  const mayCreate = useMayCreate('dashboard');
  const [isCreating, setCreating] = useState(false);
  useNewShortcut('New dashboard', mayCreate, () => setCreating(true));
  const pin = useMutation({
    mutationFn: ({ id, pinned }: { id: number; pinned: boolean }) => updateDashboard(project, id, { pinned }),
    onError: (error) => toast(`It stays as it is: ${error.message}`),
    onSettled: () => refreshDashboards(queries, project),
  });
  const needle = search.toLowerCase();
  const found = dashboards.data?.results.filter(
    ({ name, tags }) => (name ?? '').toLowerCase().includes(needle) || tags.some((tag) => tag.includes(needle)),
  );
  const create = mayCreate && (
    <Button kind="primary" icon={<Plus size={14} aria-hidden />} onPress={() => setCreating(true)}>
      New dashboard
    </Button>
  );
  return (
    <>
      <PageHead title="Dashboards" actions={create} />
      <PageBar>
        <div className="w-72 max-sm:w-full">
          <SearchField
            label="Search dashboards and tags"
            value={search}
            onChange={(text) => set({ search: text || undefined })}
          />
        </div>
      </PageBar>
      {dashboards.isPending && <Skeleton rows={8} />}
      {dashboards.error && <LoadFault what="dashboards" error={dashboards.error} onRetry={() => void dashboards.refetch()} />}
      {found?.length === 0 && (
        <Message
          icon={<LayoutDashboard size={16} aria-hidden />}
          title={search ? `No dashboard matches "${search}"` : 'No dashboards yet'}
          action={search ? <Button onPress={() => set({ search: undefined })}>Show all dashboards</Button> : create}
        >
          A dashboard shows several insights at a glance, with one date range over all.
        </Message>
      )}
      {found && found.length > 0 && (
        <VirtualRows
          label="Dashboards"
          items={found}
          keyOf={({ id }) => id}
          height={ROW}
          columns={COLUMNS}
          head={
            <>
              <span />
              <span>Name</span>
              <span />
              <span>Created by</span>
              <span>Created</span>
            </>
          }
          render={(dashboard) => <Row dashboard={dashboard} onPin={(pinned) => pin.mutate({ id: dashboard.id, pinned })} />}
        />
      )}
      <NewDashboardDialog isOpen={isCreating} onClose={() => setCreating(false)} />
    </>
  );
}

function Row({ dashboard, onPin }: { dashboard: DashboardRow; onPin: (pinned: boolean) => void }) {
  const project = useProjectId();
  const { timezone } = useProject();
  const { id, name, description, tags, pinned, is_shared, created_at, created_by } = dashboard;
  return (
    <>
      <LayoutDashboard size={16} aria-hidden className="text-text-3" />
      <div className="min-w-0">
        <Link
          to={`/p/${project}/dashboards/${id}` as string}
          className="block truncate font-medium text-text after:absolute after:inset-0"
        >
          {name || 'Untitled'}
        </Link>
        {description && <p className="truncate text-12 text-text-3">{description}</p>}
      </div>
      <span className="flex max-w-80 items-center gap-1.5 overflow-hidden max-sm:max-w-28">
        {tags.map((tag) => (
          <Badge key={tag}>{tag}</Badge>
        ))}
        {is_shared && (
          <Badge kind="accent" icon={<Globe size={12} aria-hidden />}>
            Public
          </Badge>
        )}
      </span>
      <span className="truncate text-12 text-text-3 max-lg:hidden">{created_by?.first_name}</span>
      <span className="text-12 text-text-3 max-lg:hidden">
        <Time at={created_at} zone={timezone} />
      </span>
      {mayEdit(dashboard) && (
        <span className="relative z-1">
          <IconButton isSmall label={pinned ? `Unpin ${name}` : `Pin ${name}`} onPress={() => onPin(!pinned)}>
            {pinned ? <PinOff size={14} aria-hidden className="text-accent" /> : <Pin size={14} aria-hidden />}
          </IconButton>
        </span>
      )}
    </>
  );
}
