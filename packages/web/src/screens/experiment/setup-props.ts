import type { DraftFaults, ExperimentDraft } from './draft.js';

/** What the set-up of an experiment and each of its parts get. */
export interface SetupEditorProps {
  draft: ExperimentDraft;
  faults: DraftFaults;
  isNew: boolean;
  /** Whether the variants are frozen, because the experiment has started. */
  hasStarted: boolean;
  isReadOnly: boolean;
  edit: (change: Partial<ExperimentDraft>) => void;
}
