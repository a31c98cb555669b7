import { useState } from 'react';
import { useProjectId } from '../../app/project-context.js';
import { CONCLUSIONS } from '../../data/experiment-days.js';
import { type Conclusion, type Experiment, endExperiment, shipVariant } from '../../data/experiments.js';
import { Dialog } from '../../ui/Dialog.js';
import { Form } from '../../ui/Form.js';
import { Select } from '../../ui/Select.js';
import { TextField } from '../../ui/TextField.js';

export interface EndDialogProps {
  experiment: Experiment;
  /** Whether everybody gets a variant; otherwise the flag stays as it is. */
  isShipping: boolean;
  onClose: () => void;
  onDone: (changed: Experiment) => void;
}

/** Ends an experiment with a conclusion, and gives everybody a variant if it is shipped. */
export function EndDialog({ experiment, isShipping, onClose, onDone }: EndDialogProps) {
  const project = useProjectId();
  const { id, status, baseline, feature_flag_key: flag } = experiment;
  const { feature_flag_variants: found } = experiment.parameters as { feature_flag_variants?: { key: string }[] };
  const keys = (found ?? []).map(({ key }) => key);
  const [variant, setVariant] = useState(keys.find((key) => key !== baseline) ?? keys[0] ?? '');
  const [conclusion, setConclusion] = useState<Conclusion | 'none'>(isShipping ? 'won' : 'none');
  return (
    <Dialog title={isShipping ? 'Ship a variant' : 'End the experiment'} isOpen onClose={onClose}>
      <Form
        fields={['conclusion_comment']}
        submit={isShipping ? `Ship “${variant}”` : 'End experiment'}
        submitting={isShipping ? 'Shipping…' : 'Ending…'}
        onSubmit={async ({ conclusion_comment = '' }) => {
          const ending = { conclusion: conclusion === 'none' ? null : conclusion, conclusion_comment };
          onDone(await (isShipping ? shipVariant(project, id, variant, ending) : endExperiment(project, id, ending)));
        }}
      >
        <p className="text-13 text-text-2">
          {isShipping
            ? `Everybody gets the variant of the flag “${flag}”${status === 'complete' ? '.' : ', and the experiment ends.'} The flag has the other variants no more.`
            : `Events from now on do not count. The flag “${flag}” stays as it is: people keep their variants.`}
        </p>
        {isShipping && (
          <Select
            label="Variant"
            options={keys.map((key) => ({ value: key, label: key === baseline ? `${key} (baseline)` : key }))}
            value={variant}
            onChange={setVariant}
          />
        )}
        <Select
          label="Conclusion"
          options={[
            { value: 'none', label: 'None' },
            ...Object.entries(CONCLUSIONS).map(([value, label]) => ({ value: value as Conclusion, label })),
          ]}
          value={conclusion}
          onChange={setConclusion}
        />
        <TextField name="conclusion_comment" label="What you learned" rows={3} help="If you like" />
      </Form>
    </Dialog>
  );
}
