import { validate } from '../../../http/validate.js';
import { isObject, type JsonObject } from '../../../kernel/json.js';
import { querySchema, runQuery } from '../../../query/index.js';
import { rewrapped } from '../../results/index.js';
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
  const asker = { projectId: project.id, timezone: project.timezone, now, db: deps.db, signal };
  const result = await runQuery(deps.events, validate(querySchema, isTable ? inAllParts(query) : query), asker);
  return Object.fromEntries(Object.entries(result));
}

const inAllParts = (query: JsonObject): JsonObject =>
  rewrapped(query, (inner) => {
    const { breakdownFilter: parts } = inner;
    if (!isObject(parts) || (parts['breakdown_limit'] ?? null) !== null) return inner;
    return { ...inner, breakdownFilter: { ...parts, breakdown_limit: PARTS } };
  });
