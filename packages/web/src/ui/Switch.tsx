import type { ReactNode } from 'react';
import { Switch as AriaSwitch, type SwitchProps } from 'react-aria-components';

/** A setting that takes effect at once. @param props.children its name; without one give `aria-label` */
export function Switch({ children, ...props }: Omit<SwitchProps, 'className' | 'style' | 'children'> & { children?: ReactNode }) {
  return (
    <AriaSwitch {...props} className="group inline-flex cursor-default items-center gap-2 text-13 data-disabled:opacity-50">
      <span className="flex h-[18px] w-8 shrink-0 items-center rounded-full bg-border-input p-0.5 group-data-focus-visible:outline-2 group-data-focus-visible:outline-offset-2 group-data-focus-visible:outline-focus group-data-selected:bg-accent">
        <span className="size-3.5 rounded-full bg-surface transition-transform duration-[var(--m-fast)] group-data-selected:translate-x-3.5" />
      </span>
      {children}
    </AriaSwitch>
  );
}
