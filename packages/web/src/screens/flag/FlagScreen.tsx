import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Check, Ellipsis, Trash2, TriangleAlert } from 'lucide-react';
import { type ReactNode, useCallback, useMemo, useRef, useState } from 'react';
import { useActions } from '../../actions/actions.js';
import { useMayCreate } from '../../app/object-level.js';
import { useProjectId } from '../../app/project-context.js';
import { ApiFailure } from '../../data/api.js';
import {
  createFlag,
  deleteFlag,
  type Flag,
  type FlagFields,
  flagQuery,
  flagStatusQuery,
  noteFlag,
  updateFlag,
  useFlagSwitch,
} from '../../data/flags.js';
import { Badge } from '../../ui/Badge.js';
import { Button } from '../../ui/Button.js';
import { IconButton } from '../../ui/IconButton.js';
import { Menu, MenuRow } from '../../ui/Menu.js';
import { PageHead } from '../../ui/PageHead.js';
import { Switch } from '../../ui/Switch.js';
import { NoPermission } from '../../ui/states.js';
import { Tabs } from '../../ui/Tabs.js';
import { toast } from '../../ui/toast.js';
import { changedFields, faultsOf, fieldsOf, hasFaults } from './draft.js';
import { FlagAside } from './FlagAside.js';
import { History } from './History.js';
import { ReleaseEditor } from './ReleaseEditor.js';
import type { FlagSearch, FlagTab } from './route.js';
import { type Refusal, SaveRefusal } from './SaveRefusal.js';
import { Schedule } from './Schedule.js';
import { type FlagEditing, useFlagDraft } from './use-flag-draft.js';

const route = getRouteApi('/p/$project/flags/$id');

/** One flag: who gets it, its schedule and its history. */
export function FlagScreen() {
  const project = useProjectId();
  const { id } = route.useParams();
  const loaded = route.useLoaderData();
  const { data: flag = loaded } = useQuery(flagQuery(project, id));
  const editing = useFlagDraft(project, flag);
  const { base, changes, rebase } = editing;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { tab = 'release', ...search } = route.useSearch();
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [isSaving, setSaving] = useState(false);
  const status = useQuery({ ...flagStatusQuery(project, flag), enabled: flag.status === 'STALE' });
  const setActive = useFlagSwitch(
    project,
    // one's own switch is no conflict with one's own changes
    useCallback((switched: Flag) => rebase(switched), [rebase]),
  );
  const isWrong = hasFaults(faultsOf(editing.draft));
  const set = (next: { tab?: FlagSearch['tab'] | undefined; version?: number | undefined }) =>
    void navigate({ to: '.', search: ((before: object) => ({ ...before, ...next })) as never, replace: true });

  const save = async (fields: FlagFields): Promise<void> => {
    setSaving(true);
    setRefusal(null);
    try {
      const saved = await updateFlag(project, flag.id, fields);
      editing.discard();
      await noteFlag(queries, project, saved);
    } catch (error) {
      setRefusal({ message: messageOf(error), isConflict: error instanceof ApiFailure && error.status === 409 });
    } finally {
      setSaving(false);
    }
  };
  const loadTheirs = async () => {
    editing.discard();
    setRefusal(null);
    await queries.invalidateQueries({ queryKey: ['project', project, 'flag', flag.id] });
  };
  const discard = () => {
    const { draft } = editing;
    void loadTheirs();
    toast('Your changes are discarded', { label: 'Undo', onPress: () => editing.edit(draft) });
  };
  const saveDraft = () => base && save({ ...changedFields(editing.draft, base), version: base.version });
  useSaveShortcut(changes.length > 0 && !isWrong ? () => void saveDraft() : null);
  return (
    <FlagFrame
      editing={editing}
      flag={flag}
      badges={
        <>
          <Switch
            isSelected={flag.active}
            isDisabled={!flag.can_edit}
            onChange={(active) => setActive(flag, active)}
            aria-label={`${flag.key} is on`}
          >
            <span aria-hidden>{flag.active ? 'On' : 'Off'}</span>
          </Switch>
          {flag.status === 'STALE' && flag.active && (
            <Badge kind="warn" icon={<TriangleAlert size={12} aria-hidden />}>
              {`Stale${status.data ? `: ${status.data.reason}` : ''}`}
            </Badge>
          )}
          {!flag.can_edit && <Badge>You can view it, and not change it</Badge>}
          <ChangesBadge editing={editing} />
        </>
      }
      actions={
        flag.can_edit && (
          <>
            {changes.length > 0 ? (
              <>
                <Button kind="quiet" onPress={discard}>
                  Discard
                </Button>
                <Button
                  kind="primary"
                  isDisabled={isWrong}
                  busyLabel={isSaving ? 'Saving…' : null}
                  onPress={() => void saveDraft()}
                >
                  Save changes
                </Button>
              </>
            ) : (
              <span className="flex items-center gap-1 text-12 text-text-3">
                <Check size={14} aria-hidden />
                Saved
              </span>
            )}
            <Menu
              label="More"
              trigger={
                <IconButton label="More">
                  <Ellipsis size={16} aria-hidden />
                </IconButton>
              }
            >
              <MenuRow
                isDanger
                icon={<Trash2 size={14} aria-hidden />}
                onAction={() =>
                  void deleteFlag(queries, project, flag).then(
                    () => navigate({ to: `/p/${project}/flags` as string }),
                    (error) => toast(`${flag.key} is not deleted: ${messageOf(error)}`),
                  )
                }
              >
                Delete flag
              </MenuRow>
            </Menu>
          </>
        )
      }
    >
      {refusal && (
        <SaveRefusal
          refusal={refusal}
          onTheirs={() => void loadTheirs()}
          onMine={() => base && void save(changedFields(editing.draft, base))}
        />
      )}
      <Tabs<FlagTab>
        label="Parts of the flag"
        selected={tab}
        onSelect={(next) => set({ tab: next === 'release' ? undefined : next, version: undefined })}
        tabs={[
          { id: 'release', label: 'Release', content: () => <ReleaseEditor editing={editing} flag={flag} /> },
          { id: 'schedule', label: 'Schedule', content: () => <Schedule flag={flag} /> },
          {
            id: 'history',
            label: (
              <>
                History<span className="tnum ml-1.5 text-12 text-text-3">{flag.version}</span>
              </>
            ),
            content: () => (
              <History
                flag={flag}
                selected={search.version ?? null}
                onSelect={(version) => set({ version })}
                onRollBack={(fields) => save({ ...fields, version: flag.version })}
              />
            ),
          },
        ]}
      />
    </FlagFrame>
  );
}

/** A flag that is not there yet. */
export function NewFlagScreen() {
  const project = useProjectId();
  const mayCreate = useMayCreate('feature_flag');
  const editing = useFlagDraft(project, null);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [isSaving, setSaving] = useState(false);
  const isWrong = hasFaults(faultsOf(editing.draft));
  const create = async (): Promise<void> => {
    setSaving(true);
    setRefusal(null);
    try {
      const made = await createFlag(project, fieldsOf(editing.draft));
      editing.discard();
      await noteFlag(queries, project, made);
      await navigate({ to: `/p/${project}/flags/${made.id}` as string, replace: true });
    } catch (error) {
      setRefusal({ message: messageOf(error), isConflict: false });
    } finally {
      setSaving(false);
    }
  };
  useSaveShortcut(isWrong ? null : () => void create());
  if (!mayCreate)
    return (
      <>
        <PageHead title="New flag" />
        <NoPermission
          what="this form"
          needs="You can see flags and not create them. Somebody who manages access to the project can change that."
        />
      </>
    );
  return (
    <FlagFrame
      editing={editing}
      flag={null}
      badges={editing.changes.length > 0 && <Badge kind="warn">Not created yet</Badge>}
      actions={
        <Button kind="primary" isDisabled={isWrong} busyLabel={isSaving ? 'Creating…' : null} onPress={() => void create()}>
          Create flag
        </Button>
      }
    >
      {refusal && <SaveRefusal refusal={refusal} />}
      <ReleaseEditor editing={editing} flag={null} />
    </FlagFrame>
  );
}

interface FlagFrameProps {
  editing: FlagEditing;
  flag: Flag | null;
  badges: ReactNode;
  actions: ReactNode;
  children: ReactNode;
}

/** Head, editor at the left, what comes of it at the right. */
function FlagFrame({ editing, flag, badges, actions, children }: FlagFrameProps) {
  const project = useProjectId();
  return (
    <>
      <PageHead
        crumb={<Link to={`/p/${project}/flags` as string}>Flags</Link>}
        title={flag ? <span className="font-mono text-14">{flag.key}</span> : 'New flag'}
        badges={badges}
        actions={actions}
      />
      <div className="flex min-h-0 flex-1 max-lg:block max-lg:overflow-y-auto">
        <div className="min-w-0 flex-1 overflow-y-auto p-6 max-lg:overflow-visible max-sm:p-4">{children}</div>
        <FlagAside editing={editing} flag={flag} />
      </div>
    </>
  );
}

const ChangesBadge = ({ editing: { changes } }: { editing: FlagEditing }) =>
  changes.length > 0 && (
    <span role="status" title={changes.map(({ what }) => what).join(', ')}>
      <Badge kind="warn">{`${changes.length === 1 ? '1 change' : `${changes.length} changes`}, not saved`}</Badge>
    </span>
  );

/** S saves while there is something to save. */
function useSaveShortcut(perform: (() => void) | null): void {
  const isOffered = perform !== null;
  const latest = useRef(perform);
  latest.current = perform;
  useActions(
    useMemo(
      () =>
        isOffered
          ? [{ id: 'save', label: 'Save flag', group: 'This screen', shortcut: 's', perform: () => latest.current?.() }]
          : [],
      [isOffered],
    ),
  );
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
