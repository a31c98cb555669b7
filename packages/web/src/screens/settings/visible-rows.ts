import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useLayoutEffect, useState } from 'react';

/** Lists up to this length are rendered whole: find in page and screen readers see every row. */
const WHOLE = 100;
const ROW_PX = 58;

/** The rows of a long list that are on the screen, and the height of those before and after, in pixels. */
export function useVisibleRows<Row>(all: readonly Row[], list: RefObject<HTMLElement | null>) {
  const [margin, setMargin] = useState(0);
  const isWhole = all.length <= WHOLE;
  useLayoutEffect(() => {
    const scroll = scrollParent(list.current);
    if (isWhole || !scroll || !list.current) return;
    setMargin(list.current.getBoundingClientRect().top - scroll.getBoundingClientRect().top + scroll.scrollTop);
  }, [isWhole, list]);
  const virtual = useVirtualizer({
    count: all.length,
    enabled: !isWhole,
    getScrollElement: () => scrollParent(list.current),
    estimateSize: () => ROW_PX,
    scrollMargin: margin,
    overscan: 20,
  });
  if (isWhole) return { rows: all, before: 0, after: 0 };
  const items = virtual.getVirtualItems();
  const [first, last] = [items[0], items.at(-1)];
  if (!first || !last) return { rows: all.slice(0, WHOLE), before: 0, after: (all.length - WHOLE) * ROW_PX };
  return {
    rows: all.slice(first.index, last.index + 1),
    before: first.start - margin,
    after: virtual.getTotalSize() - (last.end - margin),
  };
}

/** The scroll area that an element stands in. */
function scrollParent(element: HTMLElement | null): HTMLElement | null {
  for (let parent = element?.parentElement ?? null; parent; parent = parent.parentElement)
    if (/auto|scroll/.test(getComputedStyle(parent).overflowY)) return parent;
  return null;
}
