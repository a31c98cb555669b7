import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiError } from '../kernel/errors.js';
import { origin } from './origin.js';

/** Which part of a list was asked for: `?limit=&offset=`, both lenient. */
export interface Page {
  limit: number;
  offset: number;
}

const DEFAULT_LIMIT = 100;
/** Results on a page at most: a page is loaded and written as a whole. */
const MAX_LIMIT = 1000;
const MAX_INT = 2_147_483_647;

/** Reads `limit` (default 100, at most 1000: more counts as 1000) and `offset` (default 0); anything that is not a number counts as absent. */
export function readPage(request: FastifyRequest): Page {
  const { limit, offset } = request.query as Record<string, unknown>;
  return { limit: Math.min(natural(limit) || DEFAULT_LIMIT, MAX_LIMIT), offset: natural(offset) };
}

function natural(value: unknown): number {
  const text = Array.isArray(value) ? value.at(-1) : value;
  return typeof text === 'string' && /^\d+$/.test(text) ? Math.min(Number(text), MAX_INT) : 0;
}

/** The envelope of an offset-paginated list; `next` and `previous` are absolute and keep the other parameters. */
export function envelope<T>(request: FastifyRequest, page: Page, count: number, results: T[]) {
  const { limit, offset } = page;
  const next = offset + limit < count ? link(request, limit, offset + limit) : null;
  const previous = offset > 0 ? link(request, limit, offset - limit) : null;
  return { count, next, previous, results };
}

const address = (description: string) => z.string().nullable().describe(description).meta({ format: 'uri' });

/** The links of a page, as part of a response schema. */
export const linksOf = () => ({
  next: address('Address of the next page; null on the last.'),
  previous: address('Address of the page before; null on the first.'),
});

const lenient = (described: Record<string, string | number>) =>
  z
    .unknown()
    .optional()
    .meta({ type: 'integer', ...described });

/** What {@link readPage} reads, as part of a query schema; nothing is refused. */
export const pageParameters = {
  limit: lenient({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT }).describe(
    'Results on a page. A larger number counts as the maximum, what is no positive number as absent.',
  ),
  offset: lenient({ minimum: 0, default: 0 }).describe('Results before the page.'),
};

/** The response schema of an {@link envelope} whose results follow `item`. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    count: z.int().describe('How many there are on all pages.'),
    ...linksOf(),
    results: z.array(item).describe('This page.'),
  });

function link(request: FastifyRequest, limit: number, offset: number): string {
  const url = new URL(request.url, origin(request));
  url.searchParams.set('limit', String(limit));
  if (offset > 0) url.searchParams.set('offset', String(offset));
  else url.searchParams.delete('offset');
  url.searchParams.sort();
  return url.toString();
}

/** Rows of a page. Clients cannot choose it. */
export const CURSOR_PAGE = 100;

/**
 * Position of a page: after (`next`), or up to and including (`previous`), a place in the order of the list. The place is the sort key of
 * a row, so pages stay stable when rows are added or deleted (keyset pagination).
 */
export interface Cursor<Place> {
  direction: 'next' | 'previous';
  place: Place;
}

/**
 * The cursor of a request, or null for the first page.
 * @throws ApiError not_found if it is not a cursor of this list
 */
export function readCursor<Place>(request: FastifyRequest, place: z.ZodType<Place>): Cursor<Place> | null {
  const { cursor } = request.query as Record<string, unknown>;
  const text = Array.isArray(cursor) ? cursor.at(-1) : cursor;
  if (text === undefined || text === '') return null;
  const read = z.object({ direction: z.enum(['next', 'previous']), place }).safeParse(decode(text));
  if (!read.success) throw new ApiError('not_found', 'Invalid cursor');
  return read.data;
}

const encode = (cursor: Cursor<unknown>): string => Buffer.from(JSON.stringify(cursor)).toString('base64');

function decode(text: unknown): unknown {
  if (typeof text !== 'string') return null;
  try {
    return JSON.parse(Buffer.from(text, 'base64').toString('utf8'));
  } catch {
    return null;
  }
}

/**
 * The response of a list with cursors.
 * @param rows in the direction of the cursor, one more than {@link CURSOR_PAGE} if there are more. `results` has the order of the list.
 */
export function cursorEnvelope<Row, Place, T>(
  request: FastifyRequest,
  cursor: Cursor<Place> | null,
  rows: readonly Row[],
  placeOf: (row: Row) => Place,
  view: (row: Row) => T,
) {
  const shown = rows.slice(0, CURSOR_PAGE);
  const [last, beyond] = [shown.at(-1), rows[CURSOR_PAGE]];
  const link = (direction: Cursor<Place>['direction'], place: Place) => linkTo(request, { direction, place });
  if (cursor?.direction === 'previous') {
    const previous = beyond ? link('previous', placeOf(beyond)) : null;
    return { next: link('next', cursor.place), previous, results: shown.reverse().map(view) };
  }
  const next = beyond && last ? link('next', placeOf(last)) : null;
  return { next, previous: cursor ? link('previous', cursor.place) : null, results: shown.map(view) };
}

function linkTo(request: FastifyRequest, cursor: Cursor<unknown>): string {
  const url = new URL(request.url, origin(request));
  url.searchParams.set('cursor', encode(cursor));
  url.searchParams.sort();
  return url.toString();
}

/** The response schema of a {@link cursorEnvelope} whose results follow `item`. */
export const cursorPageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ ...linksOf(), results: z.array(item).describe('This page.') });
