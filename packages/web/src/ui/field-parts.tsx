import type { ReactNode } from 'react';
import { FieldError, Label, Text } from 'react-aria-components';
import { classNames } from './class-names.js';

export interface FieldTexts {
  label: string;
  /** Whether the label is only for screen readers. */
  hideLabel?: boolean;
  help?: ReactNode;
  /** The fault of the current value; shown at the field. */
  error?: string | null;
}

/** Edge, height and focus of every input. */
export const INPUT =
  'h-control w-full min-w-0 rounded-m border border-border-input bg-surface px-2.5 text-13 text-text placeholder:text-text-3 focus:outline-2 focus:outline-focus focus:-outline-offset-1 data-invalid:border-bad data-disabled:opacity-60';

export const FieldLabel = ({ label, hideLabel = false }: Pick<FieldTexts, 'label' | 'hideLabel'>) => (
  <Label className={classNames('text-12 font-medium text-text-2 wrap-anywhere', hideLabel && 'sr-only')}>{label}</Label>
);

export const FieldHelp = ({ help, error }: Pick<FieldTexts, 'help' | 'error'>) => (
  <>
    {help && !error && (
      <Text slot="description" className="text-12 text-text-3">
        {help}
      </Text>
    )}
    <FieldError className="text-12 text-bad">{error ?? undefined}</FieldError>
  </>
);
