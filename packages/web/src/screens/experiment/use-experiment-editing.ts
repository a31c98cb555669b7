import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useProjectId } from '../../app/project-context.js';
import { ApiFailure } from '../../data/api.js';
import { type Experiment, experimentQuery, noteExperiment, updateExperiment } from '../../data/experiments.js';
import { changedFields, useStoredDraft } from '../../data/stored-draft.js';
import type { Refusal } from '../../ui/SaveRefusal.js';
import { sentenceOf } from '../../ui/sentence-of.js';
import { toast } from '../../ui/toast.js';
import { draftOf, type ExperimentDraft, fieldsOf } from './draft.js';

export interface ExperimentEditing {
  experiment: Experiment;
  draft: ExperimentDraft;
  isChanged: boolean;
  /** Whether somebody else has changed the experiment since the draft was begun. */
  isBehind: boolean;
  edit: (change: Partial<ExperimentDraft>) => void;
  /** Forgets the changes; a toast offers to undo it. */
  drop: () => void;
  /** Saves the changes. `isForced`: also over those of others. */
  save: (isForced?: boolean) => Promise<void>;
  /** Makes another change, whose name is `busy` meanwhile. @returns whether it was made */
  run: (name: string, work: () => Promise<Experiment>) => Promise<boolean>;
  /** Shows a change that was made elsewhere on the screen. */
  note: (changed: Experiment) => Promise<void>;
  /** The name of the change that is being made; null: none. */
  busy: string | null;
  refusal: Refusal | null;
}

/** How often somebody who edits an experiment looks whether somebody else changed it, in milliseconds. */
const VERSION_MS = 10_000;

/** An experiment and its unsaved changes, which are saved over no change of somebody else. */
export function useExperimentEditing(id: number, loaded: Experiment): ExperimentEditing {
  const project = useProjectId();
  const queries = useQueryClient();
  const { data: experiment = loaded } = useQuery(experimentQuery(project, id));
  const clean = useMemo(() => draftOf(experiment), [experiment]);
  const { draft, base, isChanged, edit, discard, rebase, noteSaved } = useStoredDraft(`experiment-draft:${project}:${id}`, clean);
  useQuery({ ...experimentQuery(project, id), refetchInterval: isChanged && VERSION_MS });
  const [busy, setBusy] = useState<string | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const load = () => queries.invalidateQueries({ queryKey: experimentQuery(project, id).queryKey, exact: true });

  const note = (changed: Experiment): Promise<void> => {
    // one's own change is no conflict with one's own draft
    const isNext = changed.version === base.version + 1;
    if (changed.id === id && isNext && experiment.version === base.version) rebase({ version: changed.version });
    return noteExperiment(queries, project, changed);
  };
  const run = async (name: string, work: () => Promise<Experiment>): Promise<boolean> => {
    setBusy(name);
    setRefusal(null);
    try {
      await note(await work());
      return true;
    } catch (error) {
      const refused = refusalOf(error, name === 'save' ? 'Not saved' : 'Not done');
      setRefusal(refused);
      if (refused.isConflict) await load();
      return false;
    } finally {
      setBusy(null);
    }
  };
  return {
    experiment,
    draft,
    isChanged,
    isBehind: isChanged && experiment.version > base.version,
    edit,
    drop: () => {
      setRefusal(null);
      const undo = discard();
      toast('Your changes are discarded', { label: 'Undo', onPress: undo });
      void load();
    },
    save: async (isForced = false) => {
      const fields = changedFields(fieldsOf(draft, experiment), fieldsOf(base, experiment));
      const version = isForced ? {} : { version: base.version };
      let stored = experiment;
      const update = async () => {
        stored = await updateExperiment(project, id, { ...fields, ...version });
        return stored;
      };
      if (!(await run('save', update))) return;
      rebase({ version: stored.version });
      noteSaved({ ...draft, version: stored.version }, draftOf(stored));
    },
    run,
    note,
    busy,
    refusal,
  };
}

function refusalOf(error: unknown, title: string): Refusal {
  const message = sentenceOf(error);
  const isConflict = error instanceof ApiFailure && error.status === 409;
  return isConflict
    ? {
        title: message.replace(/\.$/, ''),
        message: 'Your changes are not saved yet. They stay until you save or drop them.',
        isConflict,
      }
    : { title, message, isConflict };
}
