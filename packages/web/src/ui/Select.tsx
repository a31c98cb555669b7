import { ChevronDown } from 'lucide-react';
import { Select as AriaSelect, Button, ListBox, ListBoxItem, SelectValue } from 'react-aria-components';
import { classNames } from './class-names.js';
import { FieldHelp, FieldLabel, type FieldTexts, INPUT } from './field-parts.js';
import { POP_ROW, Pop } from './Pop.js';

export interface Option<Value extends string> {
  value: Value;
  label: string;
}

export interface SelectProps<Value extends string> extends FieldTexts {
  options: readonly Option<Value>[];
  value: Value;
  onChange: (value: Value) => void;
  isDisabled?: boolean;
  isSmall?: boolean;
}

/** A choice of one among more than five; fewer are a `Segmented`. */
export function Select<Value extends string>({
  options,
  value,
  onChange,
  isSmall,
  isDisabled,
  help,
  error,
  ...label
}: SelectProps<Value>) {
  return (
    <AriaSelect
      selectedKey={value}
      onSelectionChange={(key) => onChange(key as Value)}
      isDisabled={isDisabled ?? false}
      isInvalid={Boolean(error)}
      className="grid min-w-0 content-start gap-1"
    >
      <FieldLabel {...label} />
      <Button
        className={classNames(
          INPUT,
          'flex items-center gap-2 text-left',
          isSmall && 'h-control-s! text-12!',
          error && 'border-bad!',
        )}
      >
        <SelectValue className="min-w-0 flex-1 truncate" />
        <ChevronDown size={14} aria-hidden className="shrink-0 text-text-3" />
      </Button>
      <FieldHelp help={help} error={error ?? null} />
      <Pop>
        <ListBox items={options} className="max-h-80 outline-none">
          {(option) => (
            <ListBoxItem id={option.value} textValue={option.label} className={classNames(POP_ROW, 'data-selected:font-medium')}>
              {option.label}
            </ListBoxItem>
          )}
        </ListBox>
      </Pop>
    </AriaSelect>
  );
}
