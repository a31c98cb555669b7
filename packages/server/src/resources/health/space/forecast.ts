/** Kinds of data that take space. */
export const SPACE_KINDS = ['events', 'recordings', 'files', 'postgres', 'logs'] as const;
export type SpaceKind = (typeof SPACE_KINDS)[number];

/** What a kind of data takes on a disk, and by how much it grows. */
export interface KindOfSpace {
  /** The disk that it is on. */
  place: string;
  kind: SpaceKind;
  used_bytes: number;
  /** Of the disk; null: unknown. */
  free_bytes: number | null;
  /** Mean of the last days; null: not known before a day has passed. */
  growth_bytes_per_day: number | null;
}

/** A disk, and when it is full. */
export interface Place {
  place: string;
  free_bytes: number | null;
  growth_bytes_per_day: number | null;
  /** Null: it does not grow, or that is unknown. */
  days_until_full: number | null;
  /** The kind that grows most; null: none does, or that is unknown. */
  filled_by: SpaceKind | null;
}

/** Forecasts when each disk is full if everything on it goes on to grow as it did. */
export function forecast(kinds: readonly KindOfSpace[]): Place[] {
  return [...new Set(kinds.map(({ place }) => place))].map((place) => {
    const own = kinds.filter((one) => one.place === place);
    const free = own.flatMap(({ free_bytes }) => (free_bytes === null ? [] : [free_bytes]));
    const growths = own.flatMap(({ growth_bytes_per_day: growth }) => (growth === null ? [] : [growth]));
    const [free_bytes, growth] = [
      free.length > 0 ? Math.min(...free) : null,
      growths.length > 0 ? growths.reduce((total, one) => total + one, 0) : null,
    ];
    const most = own.reduce((a, b) => ((b.growth_bytes_per_day ?? 0) > (a.growth_bytes_per_day ?? 0) ? b : a));
    return {
      place,
      free_bytes,
      growth_bytes_per_day: growth,
      days_until_full: free_bytes !== null && growth !== null && growth > 0 ? free_bytes / growth : null,
      filled_by: (most.growth_bytes_per_day ?? 0) > 0 ? most.kind : null,
    };
  });
}
