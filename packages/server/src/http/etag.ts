/** Whether a client says in `If-None-Match` that it has the answer with this `ETag` (RFC 9110, 13.1.2). */
export const matchesEtag = (header: string | undefined, etag: string): boolean =>
  (header ?? '').split(',').some((mark) => mark.trim() === '*' || bare(mark) === bare(etag));

const bare = (mark: string): string => mark.trim().replace(/^W\//, '');
