import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef } from 'react';
import { classNames } from './class-names.js';

export interface VirtualRowsProps<Item> {
  /** What the list is, for screen readers. */
  label: string;
  items: readonly Item[];
  keyOf: (item: Item) => string | number;
  render: (item: Item) => ReactNode;
  /** Height of a row in pixels, also on phones. */
  height: number;
  /** Classes of the grid of columns, which the head and each row have in common. */
  columns: string;
  /** The words above the columns; they are not shown on small screens. */
  head?: ReactNode;
  hasMore?: boolean;
  loadMore?: () => void;
}

/** A list that may have thousands of rows: only those in sight are drawn, and the next page loads before its end is reached. */
export function VirtualRows<Item>({
  label,
  items,
  keyOf,
  render,
  height,
  columns,
  head,
  hasMore = false,
  loadMore,
}: VirtualRowsProps<Item>) {
  const scroll = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => height,
    overscan: 12,
    getItemKey: (index) => {
      const item = items[index];
      return item === undefined ? index : keyOf(item);
    },
  });
  const drawn = rows.getVirtualItems();
  const last = drawn.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && last > items.length - 100) loadMore?.();
  }, [hasMore, loadMore, last, items.length]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
    <div ref={scroll} tabIndex={0} className="min-h-0 flex-1 overflow-y-auto bg-surface -outline-offset-2">
      {head && (
        <div
          aria-hidden
          className={classNames(
            columns,
            'sticky top-0 z-2 h-9 border-b border-border bg-surface text-12 font-medium text-text-3 max-lg:hidden!',
          )}
        >
          {head}
        </div>
      )}
      <ul aria-label={label} className="relative" style={{ height: rows.getTotalSize() }}>
        {drawn.map(({ key, index, start }) => {
          const item = items[index];
          return (
            item !== undefined && (
              <li
                key={key}
                aria-setsize={hasMore ? -1 : items.length}
                aria-posinset={index + 1}
                className={classNames(columns, 'absolute inset-x-0 border-b border-border hover:bg-hover')}
                style={{ height, transform: `translateY(${start}px)` }}
              >
                {render(item)}
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
}
