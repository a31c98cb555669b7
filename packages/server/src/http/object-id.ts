/** The id that a path segment stands for (PostgreSQL's `integer`), or null: then there is no such object. */
export function objectId(segment: string | undefined): number | null {
  const id = /^\d{1,10}$/.test(segment ?? '') ? Number(segment) : Number.NaN;
  return id <= 2_147_483_647 ? id : null;
}
