/** The migrations of a store by name, in their order, compared with those that this version has. */
export interface MigrationStatus {
  /** Those of both. */
  applied: string[];
  /** This version has them, the store does not. */
  missing: string[];
  /** The store has them, this version does not: a newer one made them. */
  unknown: string[];
}

/** Compares what a version has with what a store has. */
export function compareMigrations(known: readonly string[], applied: readonly string[]): MigrationStatus {
  const [ours, theirs] = [new Set(known), new Set(applied)];
  return {
    applied: known.filter((name) => theirs.has(name)),
    missing: known.filter((name) => !theirs.has(name)),
    unknown: [...theirs].filter((name) => !ours.has(name)).sort(),
  };
}
