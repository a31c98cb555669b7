import type { ReactNode } from 'react';
import { Mark } from './Mark.js';

/** A page before log-in: one form at the left, and what comes next at the right. */
export const FormPage = ({
  title,
  lead,
  children,
  aside,
}: {
  title: string;
  lead?: ReactNode;
  children: ReactNode;
  aside?: ReactNode;
}) => (
  <div className="flex min-h-dvh">
    <main className="flex flex-1 items-center px-40 py-12 max-xl:px-16 max-sm:items-start max-sm:px-4">
      <div className="w-full max-w-[400px]">
        <p className="mb-7 flex items-center gap-2.5 text-16 font-strong">
          <Mark size={28} />
          Tidemark
        </p>
        <h1 className="text-28 leading-tight font-strong tracking-tight">{title}</h1>
        {lead && <p className="mt-2 text-14 text-text-2">{lead}</p>}
        <div className="mt-6">{children}</div>
      </div>
    </main>
    {aside && <aside className="flex w-[38%] items-center border-l border-border bg-surface px-14 max-lg:hidden">{aside}</aside>}
  </div>
);
