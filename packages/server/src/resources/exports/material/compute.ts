import { validate } from '../../../http/validate.js';
import type { JsonObject } from '../../../kernel/json.js';
import { querySchema, runQuery } from '../../../query/index.js';
import type { Reader } from './reader.js';

/** What all parts of one export share: who reads, as of when, and until when. */
export interface Reading {
  reader: Reader;
  /** Epoch milliseconds. */
  now: number;
  signal: AbortSignal;
}

/** Computes a query of an insight, anew. @throws ApiError when it is none, or asks for too much */
export async function compute({ reader: { deps, project }, now, signal }: Reading, query: JsonObject): Promise<JsonObject> {
  const asker = { projectId: project.id, timezone: project.timezone, now, db: deps.db, signal };
  const result = await runQuery(deps.events, validate(querySchema, query), asker);
  return Object.fromEntries(Object.entries(result));
}
