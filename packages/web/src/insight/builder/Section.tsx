import type { ReactNode } from 'react';

/** A part of the builder with its heading. */
export const Section = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="grid gap-2 border-b border-border px-3.5 py-4 last:border-0">
    <h2 className="text-12 font-medium text-text-2">{title}</h2>
    {children}
  </section>
);

/** A switch or choice in one line with its name. */
export const Row = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className="flex min-h-8 items-center justify-between gap-3 text-13">
    <span>{label}</span>
    {children}
  </div>
);
