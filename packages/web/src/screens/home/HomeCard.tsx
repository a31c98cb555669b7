import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useProjectId } from '../../app/project-context.js';
import type { Question } from '../../query/question.js';
import { Card } from '../../ui/Card.js';
import { classNames } from '../../ui/class-names.js';

export interface HomeCardProps {
  title: string;
  /** Quiet words after the title. */
  note?: ReactNode;
  /** At the right of the title. */
  aside?: ReactNode;
  className?: string;
  children: ReactNode;
}

/** A card with its title. */
export const HomeCard = ({ title, note, aside, className, children }: HomeCardProps) => (
  <Card className={classNames('flex min-w-0 flex-col', className)}>
    <div className="flex min-h-11 items-center gap-2 px-4 pt-1">
      <h2 className="text-13 font-strong whitespace-nowrap">{title}</h2>
      <span className="min-w-0 flex-1 truncate text-12 text-text-2">{note}</span>
      {aside}
    </div>
    {children}
  </Card>
);

/** Rows of a card. Each is one link. */
export const LinkRows = ({ label, children }: { label: string; children: ReactNode }) => (
  <ul aria-label={label} className="divide-y divide-border border-t border-border">
    {children}
  </ul>
);

export const LinkRow = ({ to, icon, name, aside }: { to: string; icon: ReactNode; name: string; aside?: ReactNode }) => (
  <li className="relative flex min-h-[38px] items-center gap-2.5 px-4 hover:bg-hover pointer-coarse:min-h-11">
    <span aria-hidden className="shrink-0 text-text-3">
      {icon}
    </span>
    <Link to={to as string} className="min-w-0 flex-1 truncate text-13 font-medium text-text after:absolute after:inset-0">
      {name}
    </Link>
    {aside && <span className="tnum shrink-0 text-12 text-text-2">{aside}</span>}
  </li>
);

/** What stands in a card that has nothing to show. */
export const Nothing = ({ children }: { children: ReactNode }) => (
  <p className="border-t border-border px-4 py-3 text-12 text-text-2">{children}</p>
);

/** Where a number comes from. @param props.name what is opened */
export function OpenAsInsight({ question, name }: { question: Question; name: string }) {
  const project = useProjectId();
  return (
    <Link
      to={`/p/${project}/insights/new` as string}
      search={{ q: JSON.stringify(question) } as never}
      aria-label={`Open as insight: ${name}`}
      className="shrink-0 text-12 font-medium text-text-2 pointer-coarse:py-3"
    >
      Open as insight
    </Link>
  );
}
