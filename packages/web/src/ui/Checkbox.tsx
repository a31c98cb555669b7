import { Check, Minus } from 'lucide-react';
import type { ReactNode } from 'react';
import { Checkbox as AriaCheckbox, type CheckboxProps } from 'react-aria-components';

/** A choice that takes effect with the form it stands in. */
export function Checkbox({
  children,
  ...props
}: Omit<CheckboxProps, 'className' | 'style' | 'children'> & { children?: ReactNode }) {
  return (
    <AriaCheckbox {...props} className="group inline-flex cursor-default items-center gap-2 text-13 data-disabled:opacity-50">
      <span className="grid size-4 shrink-0 place-items-center rounded-s border border-border-input bg-surface text-accent-ink group-data-focus-visible:outline-2 group-data-focus-visible:outline-offset-2 group-data-focus-visible:outline-focus group-data-indeterminate:border-accent group-data-indeterminate:bg-accent group-data-selected:border-accent group-data-selected:bg-accent">
        {props.isIndeterminate ? (
          <Minus size={12} aria-hidden />
        ) : (
          <Check size={12} aria-hidden className="invisible group-data-selected:visible" />
        )}
      </span>
      {children}
    </AriaCheckbox>
  );
}
