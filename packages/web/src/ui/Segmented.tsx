import type { ReactNode } from 'react';
import { Radio, RadioGroup } from 'react-aria-components';

export interface SegmentedProps<Value extends string> {
  label: string;
  options: readonly { value: Value; label: ReactNode }[];
  value: Value;
  onChange: (value: Value) => void;
  isDisabled?: boolean;
}

/** A choice of one among two to five. */
export function Segmented<Value extends string>({ label, options, value, onChange, isDisabled = false }: SegmentedProps<Value>) {
  return (
    <RadioGroup
      aria-label={label}
      orientation="horizontal"
      value={value}
      isDisabled={isDisabled}
      onChange={(next) => onChange(next as Value)}
      className="relative inline-flex scroll-fade max-w-full overflow-x-auto rounded-m bg-sunken p-0.5"
    >
      {options.map((option) => (
        <Radio
          key={option.value}
          value={option.value}
          className="flex min-h-6 shrink-0 cursor-default items-center rounded-s px-2 text-12 whitespace-nowrap text-text-2 data-focus-visible:outline-2 data-focus-visible:outline-focus data-selected:bg-surface data-selected:font-medium data-selected:text-text data-selected:shadow-card data-disabled:opacity-50 pointer-coarse:min-h-10"
        >
          {option.label}
        </Radio>
      ))}
    </RadioGroup>
  );
}
