import { RotateCcw } from 'lucide-react';
import type { Variable, VariableValue } from '../../data/variables.js';
import { IconButton } from '../../ui/IconButton.js';
import { PageBar } from '../../ui/PageHead.js';
import { Select } from '../../ui/Select.js';
import { TextField } from '../../ui/TextField.js';
import { readValue } from './variables.js';

export interface VariableBarProps {
  variables: readonly Variable[];
  /** The value of each variable on the screen. */
  shownValue: (variable: Variable) => VariableValue;
  /** Whether any value differs from what is stored. */
  isChanged: boolean;
  onChange: (variable: Variable, value: VariableValue) => void;
  onReset: () => void;
}

/** The values of the variables that tiles name, for all tiles. */
export const VariableBar = ({ variables, shownValue, isChanged, onChange, onReset }: VariableBarProps) => (
  <PageBar>
    <fieldset className="flex flex-wrap items-center gap-x-4 gap-y-1.5">
      <legend className="sr-only">Variables</legend>
      {variables.map((variable) => (
        <div key={variable.id} className="flex items-center gap-2">
          <span aria-hidden className="text-12 font-medium text-text-2">
            {variable.name}
          </span>
          <div className="w-36">
            <VariableField variable={variable} value={shownValue(variable)} onChange={(value) => onChange(variable, value)} />
          </div>
        </div>
      ))}
    </fieldset>
    {isChanged && (
      <IconButton isSmall label="Go back to the stored values" onPress={onReset}>
        <RotateCcw size={14} aria-hidden />
      </IconButton>
    )}
  </PageBar>
);

interface VariableFieldProps {
  variable: Variable;
  value: VariableValue;
  onChange: (value: VariableValue) => void;
}

function VariableField({ variable: { name, type, values }, value, onChange }: VariableFieldProps) {
  const text = value === null ? '' : String(value);
  if (type === 'List' || type === 'Boolean') {
    const choices = type === 'Boolean' ? ['true', 'false'] : (values ?? []);
    const all = text === '' || choices.includes(text) ? choices : [text, ...choices];
    return (
      <Select
        isSmall
        hideLabel
        label={name}
        options={[...(text === '' ? [{ value: '', label: 'No value' }] : []), ...all.map((one) => ({ value: one, label: one }))]}
        value={text}
        onChange={(next) => next !== '' && onChange(readValue(type, next))}
      />
    );
  }
  const commit = (typed: string) => {
    if (typed === text) return;
    const next = typed === '' ? null : readValue(type, typed);
    if (typed === '' || next !== null) onChange(next);
  };
  return (
    <TextField
      // another value of the address replaces what stands in the field
      key={text}
      hideLabel
      label={name}
      type={type === 'Number' ? 'number' : type === 'Date' ? 'date' : 'text'}
      defaultValue={type === 'Date' ? text.slice(0, 10) : text}
      placeholder="No value"
      onBlur={({ target }) => commit((target as HTMLInputElement).value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit((event.target as HTMLInputElement).value);
      }}
    />
  );
}
