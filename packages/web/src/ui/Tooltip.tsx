import type { ReactElement } from 'react';
import { Tooltip as AriaTooltip, TooltipTrigger } from 'react-aria-components';

/** Shows a text beside a control while the pointer or the focus is on it. */
export function Tooltip({ text, children }: { text: string; children: ReactElement }) {
  return (
    <TooltipTrigger delay={400} closeDelay={0}>
      {children}
      <AriaTooltip
        offset={6}
        className="z-[var(--z-tip)] max-w-72 rounded-m border border-[var(--tip-border)] bg-tip px-2 py-1 text-12 text-tip-text"
      >
        {text}
      </AriaTooltip>
    </TooltipTrigger>
  );
}
