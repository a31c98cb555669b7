import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps } from 'react-aria-components';
import { classNames } from './class-names.js';
import { Tooltip } from './Tooltip.js';

export interface IconButtonProps extends Omit<ButtonProps, 'className' | 'style' | 'children' | 'aria-label'> {
  /** What the button does; also its tooltip. */
  label: string;
  isSmall?: boolean;
  children: ReactNode;
}

/** A button that shows an icon alone. */
export function IconButton({ label, isSmall = false, children, ...props }: IconButtonProps) {
  return (
    <Tooltip text={label}>
      <AriaButton
        {...props}
        aria-label={label}
        className={classNames(
          'inline-grid place-items-center rounded-m text-text-2 hover:bg-hover hover:text-text data-disabled:opacity-50',
          isSmall ? 'h-control-s w-[var(--h-control-s)]' : 'h-control w-[var(--h-control)]',
        )}
      >
        {children}
      </AriaButton>
    </Tooltip>
  );
}
