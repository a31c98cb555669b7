import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
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
