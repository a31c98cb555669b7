import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import { classNames } from './class-names.js';

export type ButtonKind = 'primary' | 'plain' | 'quiet' | 'danger' | 'danger-fill';

const KINDS: Record<ButtonKind, string> = {
  primary: 'bg-accent text-accent-ink border-transparent hover:bg-accent-hover pressed:bg-accent-hover',
  plain: 'bg-surface text-text border-border-strong hover:bg-hover',
  quiet: 'bg-transparent text-text-2 border-transparent hover:bg-hover hover:text-text',
  danger: 'bg-surface text-bad border-border-strong hover:bg-bad-soft',
  'danger-fill': 'bg-bad-fill text-bad-ink border-transparent',
};

/** The look of a button, for links that stand among buttons. */
export const buttonClass = (kind: ButtonKind = 'plain', isSmall = false): string =>
  classNames(
    'inline-flex items-center justify-center gap-1.5 whitespace-nowrap rounded-m border font-medium no-underline! transition-colors duration-[var(--m-fast)] data-disabled:border-border data-disabled:bg-sunken data-disabled:text-text-3',
    isSmall ? 'h-control-s px-2 text-12' : 'h-control px-3 text-13',
    KINDS[kind],
  );

export interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'style' | 'children'> {
  kind?: ButtonKind;
  isSmall?: boolean;
  /** A lucide icon in front of the words. */
  icon?: ReactNode;
  /** While the action runs: the button says so and takes no further press. Its width stays. */
  busyLabel?: string | null;
  children?: ReactNode;
}

/** A button with words: a verb and its thing, such as "Create key". */
export function Button({ kind = 'plain', isSmall = false, icon, busyLabel = null, children, isDisabled, ...props }: ButtonProps) {
  const isBusy = busyLabel !== null;
  return (
    <AriaButton
      {...props}
      isDisabled={isDisabled ?? false}
      isPending={isBusy}
      className={buttonClass(kind, isSmall)}
      {...(icon && kind !== 'primary' && { 'data-icon': '' })}
    >
      {icon}
      <span className="grid">
        <span className={classNames('col-start-1 row-start-1', isBusy && 'invisible')}>{children}</span>
        {isBusy && <span className="col-start-1 row-start-1">{busyLabel}</span>}
      </span>
    </AriaButton>
  );
}
