import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useMayCreate } from '../../app/object-level.js';
import { useProjectId } from '../../app/project-context.js';
import { createExperiment, noteExperiment } from '../../data/experiments.js';
import { useStoredDraft } from '../../data/stored-draft.js';
import { Badge } from '../../ui/Badge.js';
import { Button } from '../../ui/Button.js';
import { PageHead } from '../../ui/PageHead.js';
import { Refused } from '../../ui/Refused.js';
import { NoPermission } from '../../ui/states.js';
import { draftOf, faultsOf, fieldsOf, hasFaults } from './draft.js';
import { SampleSize } from './SampleSize.js';
import { SetupEditor } from './SetupEditor.js';

/** An experiment that is not there yet. */
export function NewExperimentScreen() {
  const project = useProjectId();
  const mayCreate = useMayCreate('experiment');
  const clean = useMemo(() => draftOf(null), []);
  const { draft, isChanged, edit, discard } = useStoredDraft(`experiment-draft:${project}:new`, clean);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [refusal, setRefusal] = useState<string | null>(null);
  const [isSaving, setSaving] = useState(false);
  const faults = faultsOf(draft);
  const head = { crumb: <Link to={`/p/${project}/experiments` as string}>Experiments</Link>, title: 'New experiment' };
  const create = async (): Promise<void> => {
    setSaving(true);
    setRefusal(null);
    try {
      const made = await createExperiment(project, fieldsOf(draft, null));
      discard();
      await noteExperiment(queries, project, made);
      await navigate({ to: `/p/${project}/experiments/${made.id}` as string, replace: true });
    } catch (error) {
      setRefusal(error instanceof Error ? error.message : String(error));
    } finally {
      setSaving(false);
    }
  };
  if (!mayCreate)
    return (
      <>
        <PageHead {...head} />
        <NoPermission verb="create" what="experiments" needs="Somebody who manages access to the project can let you." />
      </>
    );
  return (
    <>
      <PageHead
        {...head}
        badges={isChanged && <Badge kind="warn">Not created yet</Badge>}
        actions={
          <>
            {isChanged && (
              <Button kind="quiet" onPress={discard}>
                Discard
              </Button>
            )}
            <Button
              kind="primary"
              isDisabled={hasFaults(faults)}
              busyLabel={isSaving ? 'Creating…' : null}
              onPress={() => void create()}
            >
              Create experiment
            </Button>
          </>
        }
      />
      <div className="relative flex min-h-0 flex-1 max-lg:block max-lg:overflow-y-auto">
        <div className="relative min-w-0 flex-1 overflow-y-auto p-6 max-lg:overflow-visible max-sm:p-4">
          {refusal && <Refused message={refusal} />}
          <SetupEditor draft={draft} faults={faults} isNew hasStarted={false} isReadOnly={false} edit={edit} />
        </div>
        <aside
          aria-label="Sample size"
          className="w-[320px] shrink-0 overflow-y-auto border-l border-border bg-surface p-4 max-lg:w-full max-lg:overflow-visible max-lg:border-t max-lg:border-l-0"
        >
          <SampleSize draft={draft} isReadOnly={false} edit={edit} />
        </aside>
      </div>
    </>
  );
}
