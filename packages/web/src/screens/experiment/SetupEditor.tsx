import { Checkbox } from '../../ui/Checkbox.js';
import { Segmented } from '../../ui/Segmented.js';
import { Select } from '../../ui/Select.js';
import { TextField } from '../../ui/TextField.js';
import { keyOfName } from './draft.js';
import { FlagAndVariants } from './FlagAndVariants.js';
import { MetricsSetup } from './MetricsSetup.js';
import type { SetupEditorProps } from './setup-props.js';

/** The set-up of an experiment: hypothesis, flag and variants, metrics, method. */
export function SetupEditor(props: SetupEditorProps) {
  const { draft, faults, isNew, isReadOnly, edit } = props;
  // a key follows the name until somebody writes it
  const followsName = isNew && !draft.isExistingFlag && draft.flagKey === keyOfName(draft.name);
  return (
    <div className="grid max-w-4xl grid-cols-[minmax(0,1fr)] gap-6">
      <section className="grid gap-3" aria-label="Hypothesis">
        <TextField
          label="Name"
          isReadOnly={isReadOnly}
          value={draft.name}
          placeholder="Checkout on one page"
          onChange={(name) => edit({ name, ...(followsName && { flagKey: keyOfName(name) }) })}
        />
        <TextField
          label="Hypothesis"
          rows={2}
          isReadOnly={isReadOnly}
          value={draft.description}
          placeholder="If you like: what you expect, and why"
          onChange={(description) => edit({ description })}
        />
      </section>
      <FlagAndVariants {...props} />
      <MetricsSetup {...props} />
      <section aria-labelledby="method" className="grid gap-2">
        <h2 id="method" className="text-14 font-strong">
          How it is counted
        </h2>
        <div className="flex flex-wrap items-center gap-3">
          <Segmented
            label="Method"
            isDisabled={isReadOnly}
            options={[
              { value: 'bayesian', label: 'Chance to win' },
              { value: 'frequentist', label: 'p-value' },
            ]}
            value={draft.method}
            onChange={(method) => edit({ method })}
          />
          <div className="w-36">
            <Select
              label="Certainty"
              hideLabel
              isDisabled={isReadOnly}
              options={levels(draft.level)}
              value={String(draft.level)}
              onChange={(level) => edit({ level: Number(level) })}
            />
          </div>
        </div>
        <Checkbox
          isDisabled={isReadOnly}
          isSelected={draft.several === 'first_seen'}
          onChange={(isFirst) => edit({ several: isFirst ? 'first_seen' : 'exclude' })}
        >
          People who met several variants count for the first one, instead of being left out
        </Checkbox>
        <Checkbox
          isDisabled={isReadOnly}
          isSelected={draft.leavesTestsOut}
          onChange={(leavesTestsOut) => edit({ leavesTestsOut })}
        >
          Leave test accounts out
        </Checkbox>
        {faults.effect && <p className="text-12 text-bad">{faults.effect}</p>}
      </section>
    </div>
  );
}

const levels = (level: number) =>
  [...new Set([0.8, 0.9, 0.95, 0.99, level])]
    .sort((a, b) => a - b)
    .map((value) => ({ value: String(value), label: `${Number((value * 100).toFixed(2))}% certain` }));
