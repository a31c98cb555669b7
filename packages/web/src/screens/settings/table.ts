/** Tables of the settings: words left, lines between rows, no vertical lines. */
export const TABLE = 'w-full border-collapse text-left text-13';
export const HEAD =
  'h-row border-b border-border text-12 text-text-3 [&>th]:px-3 [&>th]:font-medium [&>th:first-child]:pl-4 [&>th:last-child]:pr-4';
export const ROW =
  'relative min-h-12 border-b border-border last:border-b-0 [&>td]:px-3 [&>td]:py-2 [&>th]:px-3 [&>th]:py-2 [&>th]:font-regular [&>th:first-child]:pl-4 [&>td:last-child]:pr-4';
