import { type ReactNode, useId } from 'react';

/** A part of the editor with its heading. */
export function Part({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="grid grid-cols-[minmax(0,1fr)] gap-2 [&>[role=radiogroup]]:justify-self-start">
      <h2 id={id} className="text-14 font-strong">
        {title}
      </h2>
      {children}
    </section>
  );
}
