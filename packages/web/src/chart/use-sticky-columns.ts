import { type RefObject, useLayoutEffect, useState } from 'react';

/** Share of the width that columns which stay may take together; the first always stays. */
const MOST = 0.5;

interface StickyColumns {
  /** How many columns should stay, if there is space. */
  leading: number;
  /** Whether the last columns are in sight at first. */
  isAtEnd: boolean;
  /** The texts of the heads: with others, the table is a new one. */
  heads: string;
}

/**
 * Keeps the first columns of a table in sight while it is scrolled sideways: as many as leave half of its width to the others.
 * @returns pixels from the left edge to each column that stays and to the end of the last, and whether something is scrolled below them
 */
export function useStickyColumns(
  region: RefObject<HTMLElement | null>,
  { leading, isAtEnd, heads }: StickyColumns,
): { lefts: readonly number[]; end: number; isScrolled: boolean } {
  const [places, setPlaces] = useState<{ lefts: readonly number[]; end: number }>({ lefts: [0], end: 0 });
  const [isScrolled, setIsScrolled] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other heads have other widths
  useLayoutEffect(() => {
    const box = region.current;
    if (!box) return;
    let stays = isAtEnd;
    // where this hook has scrolled to, which is no choice of the person
    let own = -1;
    const note = () => setIsScrolled(box.scrollLeft > 0);
    const measure = () => {
      const next = placesOf(box, leading);
      setPlaces((before) => (JSON.stringify(before) === JSON.stringify(next) ? before : next));
      if (stays) {
        box.scrollLeft = box.scrollWidth;
        own = box.scrollLeft;
      }
      note();
    };
    const scrolled = () => {
      if (box.scrollLeft !== own) stays = isAtEnd && box.scrollLeft >= box.scrollWidth - box.clientWidth - 1;
      note();
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    // a font that comes later makes the table wider, not the region
    for (const table of box.querySelectorAll('table')) observer.observe(table);
    box.addEventListener('scroll', scrolled, { passive: true });
    return () => {
      observer.disconnect();
      box.removeEventListener('scroll', scrolled);
    };
  }, [region, leading, isAtEnd, heads]);
  return { ...places, isScrolled };
}

function placesOf(box: HTMLElement, leading: number): { lefts: number[]; end: number } {
  const lefts: number[] = [];
  let end = 0;
  for (const head of [...box.querySelectorAll('thead th')].slice(0, leading)) {
    const next = end + head.getBoundingClientRect().width;
    if (lefts.length > 0 && next > box.clientWidth * MOST) break;
    lefts.push(end);
    end = next;
  }
  return { lefts, end };
}
