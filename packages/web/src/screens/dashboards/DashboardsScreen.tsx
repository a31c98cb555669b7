import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Globe, LayoutDashboard, Pin, PinOff, Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useActions } from '../../actions/actions.js';
import { LoadFault } from '../../app/LoadFault.js';
import { NewDashboardDialog } from '../../app/NewDashboardDialog.js';
import { useMayCreate } from '../../app/object-level.js';
import { useProject, useProjectId } from '../../app/project-context.js';
import { dashboardsQuery, mayEdit, refreshDashboards, updateDashboard } from '../../data/dashboards.js';
import { Badge } from '../../ui/Badge.js';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { IconButton } from '../../ui/IconButton.js';
import { PageBody, PageHead } from '../../ui/PageHead.js';
import { SearchField } from '../../ui/SearchField.js';
import { Message, Skeleton } from '../../ui/states.js';
import { Time } from '../../ui/Time.js';

const route = getRouteApi('/p/$project/dashboards');

/** The dashboards of the project, pinned ones first. */
export function DashboardsScreen() {
  const project = useProjectId();
  const { timezone } = useProject();
  const { search = '' } = route.useSearch();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const dashboards = useQuery(dashboardsQuery(project));
  const mayCreate = useMayCreate('dashboard');
  const [isCreating, setCreating] = useState(false);
  useActions(
    useMemo(
      () =>
        mayCreate
          ? [{ id: 'new', label: 'New dashboard', group: 'This screen', shortcut: 'n', perform: () => setCreating(true) }]
          : [],
      [mayCreate],
    ),
  );
  const pin = useMutation({
    mutationFn: ({ id, pinned }: { id: number; pinned: boolean }) => updateDashboard(project, id, { pinned }),
    onSettled: () => refreshDashboards(queries, project),
  });
  const needle = search.toLowerCase();
  const found = dashboards.data?.results.filter(
    ({ name, tags }) => (name ?? '').toLowerCase().includes(needle) || tags.some((tag) => tag.includes(needle)),
  );
  return (
    <>
      <PageHead
        title="Dashboards"
        actions={
          mayCreate && (
            <Button kind="primary" icon={<Plus size={14} aria-hidden />} onPress={() => setCreating(true)}>
              New dashboard
            </Button>
          )
        }
      />
      <PageBody>
        <div className="mb-3 max-w-72">
          <SearchField
            label="Search dashboards and tags"
            value={search}
            onChange={(text) => void navigate({ to: '.', search: { search: text || undefined } as never, replace: true })}
          />
        </div>
        <Card>
          {dashboards.isPending && <Skeleton rows={8} />}
          {dashboards.error && <LoadFault what="dashboards" error={dashboards.error} onRetry={() => void dashboards.refetch()} />}
          {found?.length === 0 && (
            <Message
              title={search ? `No dashboard matches "${search}"` : 'No dashboards yet'}
              action={search || !mayCreate ? null : <Button onPress={() => setCreating(true)}>New dashboard</Button>}
            >
              A dashboard shows several insights at a glance, with one date range over all.
            </Message>
          )}
          <ul className="divide-y divide-border">
            {found?.map(({ id, name, description, tags, pinned, is_shared, created_at, created_by, ...levels }) => (
              <li key={id} className="relative flex min-h-[50px] items-center gap-3 px-4 py-2 hover:bg-hover">
                <LayoutDashboard size={16} aria-hidden className="shrink-0 text-text-3" />
                <div className="min-w-0 flex-1">
                  <Link
                    to={`/p/${project}/dashboards/${id}` as string}
                    className="block truncate font-medium text-text after:absolute after:inset-0"
                  >
                    {name || 'Untitled'}
                  </Link>
                  {description && <p className="truncate text-12 text-text-3">{description}</p>}
                </div>
                {tags.map((tag) => (
                  <Badge key={tag}>{tag}</Badge>
                ))}
                {is_shared && (
                  <Badge kind="accent" icon={<Globe size={12} aria-hidden />}>
                    Public
                  </Badge>
                )}
                <span className="text-12 text-text-3 max-sm:hidden">{created_by?.first_name}</span>
                <span className="text-12 text-text-3 max-sm:hidden">
                  <Time at={created_at} zone={timezone} />
                </span>
                {mayEdit(levels) && (
                  <span className="relative z-1">
                    <IconButton
                      isSmall
                      label={pinned ? `Unpin ${name}` : `Pin ${name}`}
                      onPress={() => pin.mutate({ id, pinned: !pinned })}
                    >
                      {pinned ? <PinOff size={14} aria-hidden className="text-accent" /> : <Pin size={14} aria-hidden />}
                    </IconButton>
                  </span>
                )}
              </li>
            ))}
          </ul>
        </Card>
      </PageBody>
      <NewDashboardDialog isOpen={isCreating} onClose={() => setCreating(false)} />
    </>
  );
}
