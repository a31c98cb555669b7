import type { ReactNode } from 'react';
import { classNames } from './class-names.js';

const KINDS = {
  neutral: 'bg-sunken text-text-2',
  accent: 'bg-accent-soft text-accent-text',
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
};

/** A state in a word, with an icon where color alone would tell. */
export function Badge({
  kind = 'neutral',
  icon,
  children,
}: {
  kind?: keyof typeof KINDS;
  icon?: ReactNode;
  children: ReactNode;
}) {
  return (
    <span
      className={classNames(
        'inline-flex h-5 items-center gap-1 rounded-s px-1.5 text-11 font-medium whitespace-nowrap',
        KINDS[kind],
      )}
    >
      {icon}
      {children}
    </span>
  );
}
