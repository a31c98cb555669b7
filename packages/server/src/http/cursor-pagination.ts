import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiError } from '../kernel/errors.js';
import { origin } from './origin.js';
import { linksOf } from './pagination.js';

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
