import { validate } from '../../../http/validate.js';
import { ApiError } from '../../../kernel/errors.js';
import { isObject, type JsonObject } from '../../../kernel/json.js';
import { querySchema, runQuery } from '../../../analytics/index.js';
import { mapInnerQuery } from '../../results/index.js';
import type { Reader } from './reader.js';

/** What all parts of one export share: who reads, as of when, and until when. */
export interface Reading {
  reader: Reader;
  /** Epoch milliseconds. */
  now: number;
  /** It becomes a table, which has room for more parts than a picture. */
  isTable: boolean;
  signal: AbortSignal;
}

/** Parts of a breakdown in a table, where the query says nothing of them. */
const PARTS = 512;

/** Computes a query of an insight, anew. @throws ApiError when it is none, or asks for too much */
export async function compute(
  { reader: { deps, project }, now, isTable, signal }: Reading,
  query: JsonObject,
): Promise<JsonObject> {
  const context = { projectId: project.id, timezone: project.timezone, now, db: deps.db, signal };
  const run = (asked: JsonObject) => runQuery(deps.events, validate(querySchema, asked), context);
  const result = await run(isTable ? inAllParts(query) : query).catch((error: unknown) => {
    // what is too much in so many parts has those that it is shown with elsewhere
    if (isTable && error instanceof ApiError && error.body.attr === PARTS_FIELD) return run(query);
    throw error;
  });
  return Object.fromEntries(Object.entries(result));
}

/** What is at fault in an answer that would have too many parts. */
const PARTS_FIELD = 'query__breakdownFilter__breakdown_limit';

const inAllParts = (query: JsonObject): JsonObject =>
  mapInnerQuery(query, (inner) => {
    const { breakdownFilter: parts } = inner;
    if (!isObject(parts) || (parts['breakdown_limit'] ?? null) !== null) return inner;
    return { ...inner, breakdownFilter: { ...parts, breakdown_limit: PARTS } };
  });
