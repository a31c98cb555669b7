/** The outcome of {@link bisectRejected}. */
export interface Bisected<T, R> {
  /** Results of the accepted parts, in order. */
  results: { part: readonly T[]; result: R }[];
  /** Items that were refused on their own. */
  refused: T[];
}

/**
 * Runs `run` on all items. If it is refused, runs it on each half, down to the single items at fault: one bad item only delays the
 * others.
 * @throws errors of `run` that are no refusals
 */
export async function bisectRejected<T, R>(
  items: readonly T[],
  run: (part: readonly T[]) => Promise<R>,
  isRefusal: (error: unknown) => boolean,
): Promise<Bisected<T, R>> {
  if (items.length === 0) return { results: [], refused: [] };
  try {
    return { results: [{ part: items, result: await run(items) }], refused: [] };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    if (items.length === 1) return { results: [], refused: [...items] };
  }
  const middle = items.length >> 1;
  const first = await bisectRejected(items.slice(0, middle), run, isRefusal);
  const second = await bisectRejected(items.slice(middle), run, isRefusal);
  return { results: [...first.results, ...second.results], refused: [...first.refused, ...second.refused] };
}
