import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Check, Trash2, TriangleAlert } from 'lucide-react';
import { useCallback, useState } from 'react';
import { useSaveShortcut } from '../../actions/use-save-shortcut.js';
import { useProjectId } from '../../app/project-context.js';
import { useSearchChange } from '../../app/use-search-change.js';
import {
  deleteFlag,
  type Flag,
  type FlagFields,
  flagQuery,
  flagStatusQuery,
  noteFlag,
  updateFlag,
  useFlagSwitch,
} from '../../data/flags.js';
import { useNoteView } from '../../data/recently-viewed.js';
import { Badge } from '../../ui/Badge.js';
import { Button } from '../../ui/Button.js';
import { MenuRow, MoreMenu } from '../../ui/Menu.js';
import { type Refusal, SaveRefusal } from '../../ui/SaveRefusal.js';
import { Switch } from '../../ui/Switch.js';
import { sentenceOf } from '../../ui/sentence-of.js';
import { Tabs } from '../../ui/Tabs.js';
import { toast } from '../../ui/toast.js';
import { changedFields, faultsOf, hasFaults } from './draft.js';
import { FlagFrame } from './FlagFrame.js';
import { History } from './History.js';
import { ReleaseEditor } from './ReleaseEditor.js';
import { refusalOf } from './refusal.js';
import type { FlagSearch, FlagTab } from './route.js';
import { Schedule } from './Schedule.js';
import { type FlagEditing, useFlagDraft } from './use-flag-draft.js';

const route = getRouteApi('/p/$project/flags/$id');

/** One flag: who gets it, its schedule and its history. */
export function FlagScreen() {
  const project = useProjectId();
  const { id } = route.useParams();
  const loaded = route.useLoaderData();
  const { data: flag = loaded } = useQuery(flagQuery(project, id));
  useNoteView(project, 'feature_flag', flag.id);
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
  const set = useSearchChange<FlagSearch>();

  const save = async (fields: FlagFields): Promise<void> => {
    const sent = editing.draft;
    setSaving(true);
    setRefusal(null);
    try {
      const saved = await updateFlag(project, flag.id, fields);
      editing.noteSaved(sent, saved);
      await noteFlag(queries, project, saved);
    } catch (error) {
      setRefusal(refusalOf(error));
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
  useSaveShortcut('Save flag', changes.length > 0 && !isWrong ? () => void saveDraft() : null);
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
            <MoreMenu label="More">
              <MenuRow
                isDanger
                icon={<Trash2 size={14} aria-hidden />}
                onAction={() =>
                  void deleteFlag(queries, project, flag).then(
                    () => navigate({ to: `/p/${project}/flags` as string }),
                    (error) => toast(`${flag.key} is not deleted: ${sentenceOf(error)}`),
                  )
                }
              >
                Delete flag
              </MenuRow>
            </MoreMenu>
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

const ChangesBadge = ({ editing: { changes } }: { editing: FlagEditing }) =>
  changes.length > 0 && (
    <span role="status" title={changes.map(({ what }) => what).join(', ')}>
      <Badge kind="warn">{`${changes.length === 1 ? '1 change' : `${changes.length} changes`}, not saved`}</Badge>
    </span>
  );
