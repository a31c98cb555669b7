import { useEffect, useRef, useState } from 'react';

const EXAMPLE =
  'select event, count() as events\nfrom events\nwhere timestamp > now() - interval 7 day\ngroup by event\norder by events desc\nlimit 100';

/** The text of the editor: what is written in this tab since the select of the address was run, else that select, else an example. */
export function useText(project: string, q: string | undefined): [string, (text: string) => void] {
  const place = `sql-draft:${project}`;
  const [text, setText] = useState(() => readText(place, q) ?? q ?? EXAMPLE);
  const before = useRef(q);
  useEffect(() => {
    // another select in the address: by a run, a link or Back
    if (before.current !== q && q !== undefined) setText(q);
    before.current = q;
  }, [q]);
  useEffect(() => {
    if (text.trim() === (q ?? EXAMPLE)) sessionStorage.removeItem(place);
    else sessionStorage.setItem(place, JSON.stringify({ q: q ?? null, text }));
  }, [text, q, place]);
  return [text, setText];
}

/** What was written after the select of the address was run; null: nothing. */
function readText(place: string, q: string | undefined): string | null {
  try {
    const stored = JSON.parse(sessionStorage.getItem(place) ?? 'null') as { q: string | null; text: string } | null;
    return stored && stored.q === (q ?? null) ? stored.text : null;
  } catch {
    return null;
  }
}
