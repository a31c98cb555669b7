import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { NewObject } from '../../app/NewObject.js';
import { useProjectId } from '../../app/project-context.js';
import { createExperiment, noteExperiment } from '../../data/experiments.js';
import { useStoredDraft } from '../../data/stored-draft.js';
import { draftOf, faultsOf, fieldsOf, hasFaults } from './draft.js';
import { SampleSize } from './SampleSize.js';
import { SetupEditor } from './SetupEditor.js';

/** An experiment that is not there yet. */
export function NewExperimentScreen() {
  const project = useProjectId();
  const clean = useMemo(() => draftOf(null), []);
  const { draft, isChanged, edit, discard } = useStoredDraft(`experiment-draft:${project}:new`, clean);
  const queries = useQueryClient();
  const faults = faultsOf(draft);
  const create = async () => {
    const made = await createExperiment(project, fieldsOf(draft, null));
    await noteExperiment(queries, project, made);
    return made.id;
  };
  return (
    <NewObject
      one="experiment"
      many="experiments"
      isChanged={isChanged}
      discard={discard}
      isWrong={hasFaults(faults)}
      create={create}
      aside={{
        label: 'Sample size',
        width: 'w-[320px]',
        content: <SampleSize draft={draft} isReadOnly={false} edit={edit} />,
      }}
    >
      <SetupEditor draft={draft} faults={faults} isNew hasStarted={false} isReadOnly={false} edit={edit} />
    </NewObject>
  );
}
