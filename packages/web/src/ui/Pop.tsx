import { Popover, type PopoverProps } from 'react-aria-components';
import { classNames } from './class-names.js';

/** The surface of menus and lists that open beside a control. */
export function Pop({ className, ...props }: Omit<PopoverProps, 'className' | 'style'> & { className?: string }) {
  return (
    <Popover
      offset={4}
      {...props}
      className={classNames(
        'z-[var(--z-pop)] max-w-[calc(100vw-24px)] min-w-44 overflow-auto rounded-l border border-border bg-raised p-1 shadow-pop outline-none',
        className,
      )}
    />
  );
}

/** A row of a menu or list. */
export const POP_ROW =
  'flex min-h-[30px] cursor-default items-center gap-2 rounded-m px-2 text-13 text-text wrap-anywhere no-underline! outline-none data-focused:bg-accent-soft data-disabled:text-text-3 pointer-coarse:min-h-11';
