import type { ReactNode } from 'react';
import { classNames } from './class-names.js';

/** A surface with an edge. Cards do not stand in cards: inside, use lines. */
export const Card = ({ children, className }: { children: ReactNode; className?: string }) => (
  <section className={classNames('rounded-l border border-border bg-surface shadow-card', className)}>{children}</section>
);
