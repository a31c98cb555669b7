import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Plus, RefreshCw } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useState } from 'react';
import { useActions } from '../../actions/actions.js';
import { useProjectId } from '../../app/project-context.js';
import { useSearchChange } from '../../app/use-search-change.js';
import { ApiFailure } from '../../data/api.js';
import {
  dashboardQuery,
  dashboardVersionQuery,
  mayEdit,
  refreshDashboards,
  type Tile,
  updateDashboard,
} from '../../data/dashboards.js';
import { useNoteView } from '../../data/recently-viewed.js';
import { DateRangePicker } from '../../filter/DateRangePicker.js';
import { FilterChips } from '../../filter/FilterChips.js';
import { filterToText } from '../../query/filter-text.js';
import { ShareDialog } from '../../share/ShareDialog.js';
import { Button } from '../../ui/Button.js';
import { IconButton } from '../../ui/IconButton.js';
import { Menu, MenuRow } from '../../ui/Menu.js';
import { PageBar, PageBody } from '../../ui/PageHead.js';
import { RenameDialog } from '../../ui/RenameDialog.js';
import { Fault, Message, Skeleton } from '../../ui/states.js';
import { toast } from '../../ui/toast.js';
import { AddTextDialog } from './AddTextDialog.js';
import { type DashboardDialog, DashboardHead } from './DashboardHead.js';
import { inReadingOrder, type Place, placesOf } from './layout.js';
import { RefreshMenu, useAutoRefresh } from './RefreshMenu.js';
import type { DashboardSearch } from './route.js';
import { TileCard } from './TileCard.js';
import { TileGrid } from './TileGrid.js';
import { useFilters } from './use-filters.js';
import { VariableBar } from './VariableBar.js';
import { VariablesDialog } from './VariablesDialog.js';
import { overridesOf, withValue } from './variables.js';

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
  const [dialog, setDialog] = useState<DashboardDialog | null>(null);
  const [draft, setDraft] = useState<Map<number, Place> | null>(null);
  const [isSaving, setSaving] = useState(false);
  const setSearch = useSearchChange<DashboardSearch>();
  const { used, shownValue, ...filters } = useFilters(project, dashboard.data, search);
  const { range, properties } = filters;
  const canEdit = dashboard.data !== undefined && mayEdit(dashboard.data);
  const isEditing = canEdit && search.edit === '1';
  const isPresenting = search.present === '1';
  const tiles = dashboard.data?.tiles ?? [];
  const places = draft ?? placesOf(tiles);
  const leaveFullScreen = () => setSearch({ present: undefined });
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
  useAutoRefresh(seconds, () => void refresh());
  useNoteView(project, 'dashboard', dashboard.data?.id);

  useActions(
    // biome-ignore lint/correctness/useExhaustiveDependencies: they only set the address
    useMemo(
      () => [
        ...(canEdit
          ? [{ id: 'edit', label: 'Edit layout', group: 'This screen', shortcut: 'e', perform: () => setSearch({ edit: '1' }) }]
          : []),
        isPresenting
          ? { id: 'present', label: 'Leave full screen', group: 'This screen', shortcut: 'escape', perform: leaveFullScreen }
          : {
              id: 'present',
              label: 'Full screen',
              group: 'This screen',
              shortcut: 'f',
              perform: () => setSearch({ present: '1' }, false),
            },
        { id: 'refresh', label: 'Refresh tiles', group: 'This screen', shortcut: 'r', perform: () => void refresh() },
      ],
      [id, canEdit, isPresenting],
    ),
  );

  // what is there stays while the service is away: a layout or text that is not saved yet is on it
  const isGone = dashboard.error instanceof ApiFailure && dashboard.error.status < 500;
  if (!dashboard.data || isGone)
    return dashboard.error ? (
      <Fault
        title="This dashboard could not be loaded"
        detail={dashboard.error.message}
        onRetry={() => void dashboard.refetch()}
      />
    ) : (
      <Skeleton rows={8} />
    );
  const { name, description, version, variables: stored } = dashboard.data;
  const { date_from: _from, date_to: _to, ...others } = dashboard.data.filters as Record<string, unknown>;

  async function removeTile(tile: Tile): Promise<void> {
    await change({ tiles: [{ id: tile.id, deleted: true }] });
    toast('The tile was removed', { label: 'Undo', onPress: () => void change({ tiles: [{ id: tile.id, deleted: false }] }) });
  }

  /** Stores what the address overrides, so that everybody sees it. */
  async function keep(): Promise<void> {
    await change({
      filters: { ...others, ...(range && { date_from: range.from, date_to: range.to }) },
      variables: { ...(stored as typeof filters.variables), ...filters.variables },
    });
    setSearch({ from: undefined, to: undefined, v: undefined });
    toast('Everybody sees these dates and values from now on');
  }

  async function saveLayout(): Promise<void> {
    if (draft) {
      setSaving(true);
      try {
        await updateDashboard(project, id, { tiles: [...draft].map(([tile, sm]) => ({ id: tile, layouts: { sm } })) }, version);
      } catch (error) {
        const isConflict = error instanceof ApiFailure && error.status === 409;
        // saving again is refused again until the present version is here
        if (isConflict) await refreshDashboards(queries, project);
        toast(`Not saved: ${(error as Error).message}${isConflict ? ' Look at the change, then save again.' : ''}`);
        return;
      } finally {
        setSaving(false);
        await refreshDashboards(queries, project);
      }
    }
    leaveLayout();
  }

  function leaveLayout(): void {
    setDraft(null);
    setSearch({ edit: undefined });
  }

  async function remove(): Promise<void> {
    await updateDashboard(project, id, { deleted: true });
    // left first: it is not there any more when lists load anew
    await navigate({ to: `/p/${project}/dashboards` as string });
    await refreshDashboards(queries, project);
    toast(`"${name}" was deleted`, { label: 'Undo', onPress: () => void change({ deleted: false }) });
  }

  const card = (tile: Tile, isMoved: boolean): ReactNode => (
    <TileCard
      project={project}
      dashboard={id}
      tile={tile}
      filters={{ ...filters, variables: overridesOf(tile, used, filters.variables) }}
      isEditing={isMoved}
      onRange={({ from, to }) => setSearch({ from, to: to ?? undefined })}
      {...(canEdit && { onRemove: () => void removeTile(tile) })}
    />
  );

  const editing = (
    <>
      <Button kind="quiet" onPress={leaveLayout}>
        Cancel
      </Button>
      <Button kind="primary" busyLabel={isSaving ? 'Saving…' : null} onPress={() => void saveLayout()}>
        Save layout
      </Button>
    </>
  );

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
        <DashboardHead
          dashboard={dashboard.data}
          editing={isEditing ? editing : null}
          add={add}
          onOpen={setDialog}
          onPresent={() => setSearch({ present: '1' }, false)}
          onEdit={() => setSearch({ edit: '1' })}
          onKeep={() => void keep()}
          onDelete={() => void remove()}
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
          <span className="ml-auto flex items-center gap-2">
            <RefreshMenu seconds={seconds} onChange={(every) => setSearch({ every: every > 0 ? String(every) : undefined })} />
            <IconButton isSmall label="Refresh tiles" onPress={() => void refresh()}>
              <RefreshCw size={14} aria-hidden />
            </IconButton>
          </span>
          {isPresenting && (
            <Button isSmall onPress={leaveFullScreen}>
              Leave full screen
            </Button>
          )}
        </PageBar>
      )}
      {!isEditing && used.length > 0 && (
        <VariableBar
          variables={used}
          shownValue={shownValue}
          isChanged={Object.keys(filters.variables).length > 0}
          onChange={(variable, value) => setSearch({ v: withValue(search.v ?? [], variable, value) })}
          onReset={() => setSearch({ v: undefined })}
        />
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
              render={(tile) => card(tile, true)}
            />
          </Suspense>
        ) : (
          <TileGrid tiles={tiles} places={places} render={(tile) => card(tile, false)} />
        )}
      </PageBody>
      {dialog === 'share' && (
        <ShareDialog shared={{ kind: 'dashboard', id }} name={name || 'Untitled'} onClose={() => setDialog(null)} />
      )}
      {dialog === 'variables' && <VariablesDialog onClose={() => setDialog(null)} />}
      <RenameDialog
        what="dashboard"
        name={name ?? ''}
        description={description}
        isOpen={dialog === 'rename'}
        onClose={() => setDialog(null)}
        onRename={change}
      />
      <AddTextDialog
        isOpen={dialog === 'text'}
        onClose={() => setDialog(null)}
        onAdd={(body) => change({ tiles: [{ text: { body }, layouts: {} }] })}
      />
    </>
  );
}
