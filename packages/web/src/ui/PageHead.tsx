import type { ReactNode } from 'react';

export interface PageHeadProps {
  title: ReactNode;
  /** Links to what the page belongs to, in front of the title. */
  crumb?: ReactNode;
  /** States that concern others, such as "Public". */
  badges?: ReactNode;
  /** Quiet icons, secondary buttons, at most one primary one at the right. */
  actions?: ReactNode;
}

/** The head of a screen: 52 px, stays while the content scrolls. On a phone secondary buttons are their icons. */
export const PageHead = ({ title, crumb, badges, actions }: PageHeadProps) => (
  <header className="flex min-h-[var(--head-h)] shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-border bg-surface px-6 py-1.5 max-sm:px-4 max-sm:py-2">
    <div className="flex min-w-28 flex-1 items-center gap-2">
      {crumb && (
        <>
          <span className="shrink-0 text-13 text-text-2 max-sm:hidden">{crumb}</span>
          <span aria-hidden className="text-text-3 max-sm:hidden">
            /
          </span>
        </>
      )}
      <h1 className="min-w-0 truncate text-16 font-strong">{title}</h1>
      {badges}
    </div>
    {actions && <div className="ml-auto flex flex-wrap items-center gap-2 max-sm:[&_[data-icon]>span]:sr-only">{actions}</div>}
  </header>
);

/** The filter bar below the head. */
export const PageBar = ({ children }: { children: ReactNode }) => (
  <div className="flex min-h-12 shrink-0 flex-wrap items-center gap-2 border-b border-border bg-surface px-6 py-1.5 max-sm:px-4">
    {children}
  </div>
);

/** The scroll area of a list, from edge to edge. */
export const ListBody = ({ children }: { children: ReactNode }) => (
  <div className="min-h-0 flex-1 overflow-y-auto">{children}</div>
);

/** The rows of a list in a `ListBody`. */
export const LIST_ROWS = 'divide-y divide-border border-b border-border bg-surface';

/** The scroll area of a screen. */
export const PageBody = ({ children }: { children: ReactNode }) => (
  <div className="min-h-0 flex-1 overflow-y-auto p-6 max-sm:p-4">{children}</div>
);
