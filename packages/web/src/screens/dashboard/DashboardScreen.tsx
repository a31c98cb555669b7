import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Ellipsis, Globe, Lock, Maximize, Pencil, Plus, RefreshCw, Share2 } from 'lucide-react';
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { useActions } from '../../actions/actions.js';
import { type DateRange, rangeOf } from '../../address/date-range.js';
import { useProjectId } from '../../app/project-context.js';
import {
  type DashboardFilters,
  dashboardQuery,
  dashboardVersionQuery,
  refreshDashboards,
  type Tile,
  updateDashboard,
} from '../../data/dashboards.js';
import { DateRangePicker } from '../../filter/DateRangePicker.js';
import { FilterChips } from '../../filter/FilterChips.js';
import { filterFromText, filterToText } from '../../query/filter-text.js';
import { ExportMenu } from '../../share/ExportMenu.js';
import { ShareDialog } from '../../share/ShareDialog.js';
import { Badge } from '../../ui/Badge.js';
import { Button } from '../../ui/Button.js';
import { Dialog } from '../../ui/Dialog.js';
import { Form } from '../../ui/Form.js';
import { IconButton } from '../../ui/IconButton.js';
import { Menu, MenuLine, MenuRow } from '../../ui/Menu.js';
import { PageBar, PageBody, PageHead } from '../../ui/PageHead.js';
import { Fault, Message, Skeleton } from '../../ui/states.js';
import { TextField } from '../../ui/TextField.js';
import { toast } from '../../ui/toast.js';
import { inReadingOrder, type Place, placesOf } from './layout.js';
import { TileCard } from './TileCard.js';

const route = getRouteApi('/p/$project/dashboards/$id');

/** Dragging and resizing is loaded when somebody edits a layout. */
const LayoutEditor = lazy(async () => ({ default: (await import('./LayoutEditor.js')).LayoutEditor }));

/** A dashboard: filters over all tiles, and the tiles, each of which loads alone. */
export function DashboardScreen() {
  const project = useProjectId();
  const { id } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const dashboard = useQuery(dashboardQuery(project, id));
  const current = useQuery(dashboardVersionQuery(project, id));
  const [dialog, setDialog] = useState<'rename' | 'text' | 'share' | null>(null);
  const [draft, setDraft] = useState<Map<number, Place> | null>(null);
  const setSearch = (next: Record<string, unknown>, replace = true) =>
    void navigate({ to: '.', search: ((before: object) => ({ ...before, ...next })) as never, replace });
  const stored = dashboard.data?.filters as { date_from?: string | null; date_to?: string | null } | undefined;
  const range: DateRange | null = search.from
    ? rangeOf(search)
    : stored?.date_from
      ? { from: stored.date_from, to: stored.date_to ?? null }
      : null;
  const properties = useMemo(() => (search.f ?? []).flatMap((text) => filterFromText(text) ?? []), [search.f]);
  const filters: DashboardFilters = { range, properties };
  const isEditing = search.edit === '1';
  const isPresenting = search.present === '1';
  const tiles = dashboard.data?.tiles ?? [];
  const places = draft ?? placesOf(tiles);
  const refresh = () => queries.invalidateQueries({ queryKey: ['project', project, 'tile', id] });
  const change = async (fields: Parameters<typeof updateDashboard>[2]) => {
    await updateDashboard(project, id, fields);
    await refreshDashboards(queries, project);
  };

  const isBehind = dashboard.data !== undefined && current.data !== undefined && current.data.version > dashboard.data.version;
  // what somebody else changed appears by itself, but not under the hands of who edits
  useEffect(() => {
    if (isBehind && !isEditing) void refreshDashboards(queries, project);
  }, [isBehind, isEditing, queries, project]);

  const seconds = Number(search.every ?? 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the interval alone decides
  useEffect(() => {
    if (seconds < 10) return;
    const timer = setInterval(() => document.visibilityState === 'visible' && void refresh(), seconds * 1_000);
    return () => clearInterval(timer);
  }, [seconds, id]);

  useActions(
    // biome-ignore lint/correctness/useExhaustiveDependencies: they only set the address
    useMemo(
      () => [
        { id: 'edit', label: 'Edit layout', group: 'This screen', shortcut: 'e', perform: () => setSearch({ edit: '1' }) },
        { id: 'present', label: 'Full screen', group: 'This screen', perform: () => setSearch({ present: '1' }, false) },
        { id: 'refresh', label: 'Refresh tiles', group: 'This screen', shortcut: 'r', perform: () => void refresh() },
      ],
      [id],
    ),
  );

  if (dashboard.error)
    return (
      <Fault
        title="This dashboard could not be loaded"
        detail={dashboard.error.message}
        onRetry={() => void dashboard.refetch()}
      />
    );
  if (!dashboard.data) return <Skeleton rows={8} />;
  const { name, description, version, is_shared, effective_restriction_level, user_access_level } = dashboard.data;
  const canEdit = user_access_level !== 'viewer';

  async function removeTile(tile: Tile): Promise<void> {
    await change({ tiles: [{ id: tile.id, deleted: true }] });
    toast('The tile was removed', { label: 'Undo', onPress: () => void change({ tiles: [{ id: tile.id, deleted: false }] }) });
  }

  async function saveLayout(): Promise<void> {
    if (draft) {
      try {
        await updateDashboard(project, id, { tiles: [...draft].map(([tile, sm]) => ({ id: tile, layouts: { sm } })) }, version);
      } catch (error) {
        toast(error instanceof Error ? `${error.message} Look at the change, then save again.` : String(error));
        await refreshDashboards(queries, project);
        return;
      }
      await refreshDashboards(queries, project);
    }
    setDraft(null);
    setSearch({ edit: undefined });
  }

  const add = (
    <Menu
      label="Add"
      trigger={
        <Button icon={<Plus size={14} aria-hidden />} kind={tiles.length === 0 ? 'primary' : 'plain'}>
          Add
        </Button>
      }
    >
      <MenuRow
        onAction={() => void navigate({ to: `/p/${project}/insights/new` as string, search: { dashboard: String(id) } as never })}
      >
        New insight
      </MenuRow>
      <MenuRow onAction={() => setDialog('text')}>Text</MenuRow>
    </Menu>
  );

  return (
    <>
      {!isPresenting && (
        <PageHead
          crumb={<Link to={`/p/${project}/dashboards` as string}>Dashboards</Link>}
          title={name || 'Untitled'}
          badges={
            <>
              {is_shared && (
                <Badge kind="accent" icon={<Globe size={12} aria-hidden />}>
                  Public
                </Badge>
              )}
              {effective_restriction_level > 21 && <Badge icon={<Lock size={12} aria-hidden />}>Restricted</Badge>}
            </>
          }
          actions={
            isEditing ? (
              <>
                <Button
                  kind="quiet"
                  onPress={() => {
                    setDraft(null);
                    setSearch({ edit: undefined });
                  }}
                >
                  Cancel
                </Button>
                <Button kind="primary" onPress={() => void saveLayout()}>
                  Save layout
                </Button>
              </>
            ) : (
              <>
                <ExportMenu of={{ dashboard: id }} />
                <Button icon={<Share2 size={14} aria-hidden />} onPress={() => setDialog('share')}>
                  Share
                </Button>
                <IconButton label="Full screen" onPress={() => setSearch({ present: '1' }, false)}>
                  <Maximize size={16} aria-hidden />
                </IconButton>
                {canEdit && (
                  <>
                    <Menu
                      label="Dashboard"
                      trigger={
                        <IconButton label="More">
                          <Ellipsis size={16} aria-hidden />
                        </IconButton>
                      }
                    >
                      <MenuRow onAction={() => setDialog('rename')}>Rename</MenuRow>
                      <MenuRow
                        onAction={() => void change({ filters: range ? { date_from: range.from, date_to: range.to } : {} })}
                      >
                        Keep these dates for everybody
                      </MenuRow>
                      <MenuLine />
                      <MenuRow
                        isDanger
                        onAction={async () => {
                          await change({ deleted: true });
                          await navigate({ to: `/p/${project}/dashboards` as string });
                          toast(`"${name}" was deleted`, { label: 'Undo', onPress: () => void change({ deleted: false }) });
                        }}
                      >
                        Delete dashboard
                      </MenuRow>
                    </Menu>
                    <Button icon={<Pencil size={14} aria-hidden />} onPress={() => setSearch({ edit: '1' })}>
                      Edit layout
                    </Button>
                    {add}
                  </>
                )}
              </>
            )
          }
        />
      )}
      {!isEditing && (
        <PageBar>
          <DateRangePicker
            range={range}
            noRange="Dates of each tile"
            onChange={({ from, to }) => setSearch({ from, to: to ?? undefined })}
          />
          <FilterChips filters={properties} onChange={(next) => setSearch({ f: next.map(filterToText) })} />
          <span className="flex-1" />
          <RefreshMenu seconds={seconds} onChange={(every) => setSearch({ every: every > 0 ? String(every) : undefined })} />
          <IconButton isSmall label="Refresh tiles" onPress={() => void refresh()}>
            <RefreshCw size={14} aria-hidden />
          </IconButton>
          {isPresenting && (
            <Button isSmall onPress={() => setSearch({ present: undefined })}>
              Leave full screen
            </Button>
          )}
        </PageBar>
      )}
      {isBehind && isEditing && (
        <p role="status" className="border-b border-border bg-warn-soft px-6 py-2 text-13 text-warn">
          {current.data?.last_modified_by?.first_name || 'Somebody'} has changed this dashboard meanwhile. Your layout is not
          saved yet.
        </p>
      )}
      <PageBody>
        {description && <p className="mb-3 max-w-prose text-13 text-text-2">{description}</p>}
        {tiles.length === 0 && (
          <Message title="This dashboard has no tiles" action={canEdit ? add : null}>
            Add an insight or a text. Tiles can be moved and resized.
          </Message>
        )}
        {isEditing ? (
          <Suspense fallback={<Skeleton rows={6} />}>
            <LayoutEditor
              tiles={inReadingOrder(tiles, places)}
              places={places}
              onChange={setDraft}
              render={(tile) => (
                <TileCard
                  project={project}
                  dashboard={id}
                  tile={tile}
                  filters={filters}
                  isEditing
                  onRemove={() => void removeTile(tile)}
                />
              )}
            />
          </Suspense>
        ) : (
          <ul className="grid auto-rows-[60px] grid-cols-12 gap-3 max-sm:auto-rows-auto max-sm:grid-cols-2">
            {inReadingOrder(tiles, places).map((tile) => (
              <GridItem key={tile.id} place={places.get(tile.id) ?? { x: 0, y: 0, w: 6, h: 5 }}>
                <TileCard
                  project={project}
                  dashboard={id}
                  tile={tile}
                  filters={filters}
                  {...(canEdit && { onRemove: () => void removeTile(tile) })}
                />
              </GridItem>
            ))}
          </ul>
        )}
      </PageBody>
      {dialog === 'share' && (
        <ShareDialog shared={{ kind: 'dashboard', id }} name={name || 'Untitled'} onClose={() => setDialog(null)} />
      )}
      <Dialog title="Rename dashboard" isOpen={dialog === 'rename'} onClose={() => setDialog(null)}>
        <Form
          fields={['name', 'description']}
          submit="Rename dashboard"
          submitting="Renaming…"
          onSubmit={async ({ name: text = '', description: about = '' }) => {
            await change({ name: text, description: about });
            setDialog(null);
          }}
        >
          <TextField name="name" label="Name" isRequired autoFocus defaultValue={name ?? ''} />
          <TextField name="description" label="Description" help="If you like" rows={3} defaultValue={description} />
        </Form>
      </Dialog>
      <Dialog title="Add text" isOpen={dialog === 'text'} onClose={() => setDialog(null)}>
        <Form
          fields={['body']}
          submit="Add text"
          submitting="Adding…"
          onSubmit={async ({ body = '' }) => {
            await change({ tiles: [{ text: { body }, layouts: {} }] });
            setDialog(null);
          }}
        >
          <TextField name="body" label="Text" help="Markdown: headings, lists, links, bold" rows={6} isRequired autoFocus />
        </Form>
      </Dialog>
    </>
  );
}

/** A cell of the grid: its place on wide screens; on phones half the width for small tiles, all of it for others. */
const GridItem = ({ place: { x, y, w, h }, children }: { place: Place; children: React.ReactNode }) => (
  <li
    className={`grid min-w-0 sm:col-[var(--col)] sm:row-[var(--row)] ${w <= 3 && h <= 3 ? 'max-sm:h-36' : 'max-sm:col-span-2 max-sm:h-80'}`}
    style={{ '--col': `${x + 1} / span ${w}`, '--row': `${y + 1} / span ${h}` } as React.CSSProperties}
  >
    {children}
  </li>
);

const PERIODS = [0, 30, 60, 300, 1800];

function RefreshMenu({ seconds, onChange }: { seconds: number; onChange: (seconds: number) => void }) {
  const label = (every: number) =>
    every === 0 ? 'No automatic refresh' : every < 60 ? `Every ${every} seconds` : `Every ${every / 60} minutes`;
  return (
    <Menu
      label="Automatic refresh"
      trigger={
        <Button isSmall kind="quiet">
          {seconds === 0 ? 'Auto refresh' : label(seconds)}
        </Button>
      }
    >
      {PERIODS.map((every) => (
        <MenuRow key={every} onAction={() => onChange(every)}>
          {label(every)}
        </MenuRow>
      ))}
    </Menu>
  );
}
