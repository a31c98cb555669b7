import type { ReactNode } from 'react';
import { Label, Radio, RadioGroup } from 'react-aria-components';

export interface ChoiceCardsProps<Value extends string> {
  label: string;
  options: readonly { value: Value; label: string; about: ReactNode }[];
  value: Value;
  onChange: (value: Value) => void;
}

/** A choice of one among things that need a sentence each. */
export const ChoiceCards = <Value extends string>({ label, options, value, onChange }: ChoiceCardsProps<Value>) => (
  <RadioGroup value={value} onChange={(next) => onChange(next as Value)} className="grid gap-1">
    <Label className="text-12 font-medium text-text-2">{label}</Label>
    <div className="grid grid-cols-2 gap-2 max-sm:grid-cols-1">
      {options.map((option) => (
        <Radio
          key={option.value}
          value={option.value}
          className="min-w-0 cursor-default rounded-l border border-border bg-surface px-3 py-2 wrap-anywhere hover:bg-hover data-focus-visible:outline-2 data-focus-visible:outline-focus data-selected:border-accent data-selected:bg-accent-soft"
        >
          <b className="block text-13 font-medium">{option.label}</b>
          <span className="block text-12 text-text-2">{option.about}</span>
        </Radio>
      ))}
    </div>
  </RadioGroup>
);
