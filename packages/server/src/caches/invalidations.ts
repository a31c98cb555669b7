/** Tags whose last invalidation is remembered one by one; beyond that an invalidation counts as one of everything. */
const MAX_TAGS = 10_000;

/**
 * When what was invalidated, on a counter instead of a clock. A read takes {@link Invalidations.now} before it starts; what it found is
 * current as long as none of its tags was invalidated after that moment. So a change that arrives while the read is under way counts too.
 */
export interface Invalidations {
  /** The present moment. To be taken before anything is read. */
  now(): number;
  /** What depends on one of these tags is outdated. */
  invalidate(tags: readonly string[]): void;
  /** Everything is outdated. */
  invalidateAll(): void;
  /** Whether none of the tags was invalidated after the moment; null: whether nothing was. */
  areCurrent(tags: readonly string[] | null, since: number): boolean;
}

export function createInvalidations(maxTags = MAX_TAGS): Invalidations {
  let count = 0;
  let lastOfAll = 0;
  const lastOf = new Map<string, number>();

  function invalidateAll(): void {
    count += 1;
    lastOfAll = count;
    lastOf.clear();
  }

  return {
    now: () => count,
    invalidate: (tags) => {
      if (lastOf.size + tags.length > maxTags) invalidateAll();
      count += 1;
      for (const tag of tags) lastOf.set(tag, count);
    },
    invalidateAll,
    areCurrent: (tags, since) =>
      tags === null ? count === since : lastOfAll <= since && tags.every((tag) => (lastOf.get(tag) ?? 0) <= since),
  };
}
