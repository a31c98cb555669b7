import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Archive, Check, Copy, Pause, Play, Rocket, RotateCcw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useSaveShortcut } from '../../actions/use-save-shortcut.js';
import { useMayCreate } from '../../app/object-level.js';
import { useProjectId } from '../../app/project-context.js';
import { daysRunning, STATUS_KINDS, STATUS_TEXTS } from '../../data/experiment-days.js';
import { changeStage, duplicateExperiment, type Experiment, noteExperiment, updateExperiment } from '../../data/experiments.js';
import { flagQuery } from '../../data/flags.js';
import { Badge } from '../../ui/Badge.js';
import { Button } from '../../ui/Button.js';
import { MenuLine, MenuRow, MoreMenu } from '../../ui/Menu.js';
import { PageHead } from '../../ui/PageHead.js';
import { SaveRefusal } from '../../ui/SaveRefusal.js';
import { Tabs } from '../../ui/Tabs.js';
import { toast } from '../../ui/toast.js';
import { faultsOf, hasFaults } from './draft.js';
import { EndDialog } from './EndDialog.js';
import { Results } from './Results.js';
import { ResultsAside } from './ResultsAside.js';
import type { ExperimentTab } from './route.js';
import { SampleSize } from './SampleSize.js';
import { SetupEditor } from './SetupEditor.js';
import { useExperimentEditing } from './use-experiment-editing.js';

const route = getRouteApi('/p/$project/experiments/$id');

/** One experiment: its results, its set-up, and its stages. */
export function ExperimentScreen() {
  const project = useProjectId();
  const { id } = route.useParams();
  const loaded = route.useLoaderData();
  const editing = useExperimentEditing(id, loaded);
  const { experiment, draft, isChanged, isBehind, edit, drop, save, run, busy, refusal } = editing;
  const { status } = experiment;
  const { tab = status === 'draft' ? 'setup' : 'results' } = route.useSearch();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const faults = faultsOf(draft);
  const isWrong = hasFaults(faults);
  const canEdit = experiment.user_access_level !== 'viewer';
  const mayCreate = useMayCreate('experiment');
  // stages switch the flag, and shipping changes it: both need the right to edit it
  const flag = useQuery({ ...flagQuery(project, experiment.feature_flag?.id ?? 0), enabled: experiment.feature_flag !== null });
  const canChangeFlag = canEdit && (flag.data?.can_edit ?? false);
  const [dialog, setDialog] = useState<'ship' | 'end' | null>(null);
  const stage = (name: 'launch' | 'pause' | 'resume' | 'reset') => run(name, () => changeStage(project, id, name));
  const goTo = (next: number) => navigate({ to: `/p/${project}/experiments/${next}` as string });
  const duplicate = () =>
    void run('duplicate', async () => {
      const copy = await duplicateExperiment(project, id);
      await goTo(copy.id);
      return copy;
    });
  const restore = () =>
    void updateExperiment(project, id, { deleted: false }).then((restored) => noteExperiment(queries, project, restored));
  const remove = async () => {
    if (!(await run('delete', () => updateExperiment(project, id, { deleted: true })))) return;
    await navigate({ to: `/p/${project}/experiments` as string });
    toast(`“${experiment.name}” is deleted. Its flag stays.`, { label: 'Undo', onPress: restore });
  };
  useSaveShortcut('Save experiment', isChanged && !isWrong && canEdit ? () => void save() : null);
  const days = daysRunning(experiment, Date.now());
  const setTab = (next: ExperimentTab) => void navigate({ to: '.', search: { tab: next } as never, replace: true });
  const canShip = canChangeFlag && status !== 'draft' && experiment.shipped_variant === null;
  return (
    <>
      <PageHead
        crumb={<Link to={`/p/${project}/experiments` as string}>Experiments</Link>}
        title={experiment.name}
        badges={
          <>
            <Badge kind={STATUS_KINDS[status]}>
              {`${STATUS_TEXTS[status]}${days !== null && status !== 'complete' ? `, day ${days}` : ''}`}
            </Badge>
            {experiment.archived && <Badge>Archived</Badge>}
            {!canEdit && <Badge>You can view it, and not change it</Badge>}
            {isChanged && <Badge kind="warn">Changed, not saved</Badge>}
          </>
        }
        actions={
          canEdit && (
            <>
              {isChanged && (
                <>
                  <Button kind="quiet" onPress={drop}>
                    Discard
                  </Button>
                  <Button
                    kind={status === 'draft' ? 'plain' : 'primary'}
                    isDisabled={isWrong}
                    busyLabel={busy === 'save' ? 'Saving…' : null}
                    onPress={() => void save()}
                  >
                    Save changes
                  </Button>
                </>
              )}
              {canChangeFlag && status === 'running' && (
                <Button
                  icon={<Pause size={14} aria-hidden />}
                  busyLabel={busy === 'pause' ? 'Pausing…' : null}
                  onPress={() => void stage('pause')}
                >
                  Pause
                </Button>
              )}
              {canChangeFlag && status === 'paused' && (
                <Button
                  icon={<Play size={14} aria-hidden />}
                  busyLabel={busy === 'resume' ? 'Resuming…' : null}
                  onPress={() => void stage('resume')}
                >
                  Resume
                </Button>
              )}
              {(status === 'running' || status === 'paused') && <Button onPress={() => setDialog('end')}>End</Button>}
              <MoreMenu label="More">
                {mayCreate && (
                  <MenuRow icon={<Copy size={14} aria-hidden />} onAction={duplicate}>
                    Duplicate
                  </MenuRow>
                )}
                {status !== 'draft' && (
                  <MenuRow icon={<RotateCcw size={14} aria-hidden />} onAction={() => void stage('reset')}>
                    Make it a draft again
                  </MenuRow>
                )}
                {(status === 'draft' || status === 'complete') && (
                  <MenuRow
                    icon={<Archive size={14} aria-hidden />}
                    onAction={() => void run('archive', () => updateExperiment(project, id, { archived: !experiment.archived }))}
                  >
                    {experiment.archived ? 'Take it out of the archive' : 'Archive'}
                  </MenuRow>
                )}
                <MenuLine />
                <MenuRow isDanger icon={<Trash2 size={14} aria-hidden />} onAction={() => void remove()}>
                  Delete experiment
                </MenuRow>
              </MoreMenu>
              {canShip && (
                <Button
                  kind={isChanged ? 'plain' : 'primary'}
                  icon={<Check size={14} aria-hidden />}
                  onPress={() => setDialog('ship')}
                >
                  Ship a variant
                </Button>
              )}
              {canChangeFlag && status === 'draft' && (
                <Button
                  kind="primary"
                  icon={<Rocket size={14} aria-hidden />}
                  isDisabled={isChanged}
                  busyLabel={busy === 'launch' ? 'Launching…' : null}
                  onPress={() => void stage('launch')}
                >
                  Launch
                </Button>
              )}
            </>
          )
        }
      />
      <div className="relative flex min-h-0 flex-1 max-lg:block max-lg:overflow-y-auto">
        <div className="relative min-w-0 flex-1 overflow-y-auto p-6 max-lg:overflow-visible max-sm:p-4">
          {refusal && <SaveRefusal refusal={refusal} onTheirs={drop} onMine={() => void save(true)} />}
          {isBehind && !refusal && <Behind experiment={experiment} onTheirs={drop} />}
          <Tabs<ExperimentTab>
            label="Parts of the experiment"
            selected={tab}
            onSelect={setTab}
            tabs={[
              { id: 'results', label: 'Results', content: () => <Results experiment={experiment} /> },
              {
                id: 'setup',
                label: 'Set-up',
                content: () => (
                  <SetupEditor
                    draft={draft}
                    faults={faults}
                    isNew={false}
                    hasStarted={status !== 'draft'}
                    isReadOnly={!canEdit}
                    edit={edit}
                  />
                ),
              },
            ]}
          />
        </div>
        <aside
          aria-label="About the experiment"
          className="w-[320px] shrink-0 divide-y divide-border overflow-y-auto border-l border-border bg-surface *:p-4 max-lg:w-full max-lg:overflow-visible max-lg:border-t max-lg:border-l-0"
        >
          {status === 'draft' ? (
            <SampleSize draft={draft} isReadOnly={!canEdit} edit={edit} />
          ) : (
            <ResultsAside experiment={experiment} />
          )}
        </aside>
      </div>
      {dialog && (
        <EndDialog
          experiment={experiment}
          isShipping={dialog === 'ship'}
          onClose={() => setDialog(null)}
          onDone={(changed) => {
            setDialog(null);
            void editing.note(changed);
          }}
        />
      )}
    </>
  );
}

/** Tells who edits that somebody else has changed the experiment meanwhile. */
const Behind = ({ experiment, onTheirs }: { experiment: Experiment; onTheirs: () => void }) => (
  <div role="status" className="mb-4 flex flex-wrap items-center gap-2 rounded-l bg-warn-soft p-3 text-13 text-warn">
    <span className="flex-1">
      {experiment.last_modified_by?.first_name || 'Somebody'} has changed this experiment meanwhile. Your changes are not saved
      yet.
    </span>
    <Button isSmall onPress={onTheirs}>
      Drop my changes and show theirs
    </Button>
  </div>
);
