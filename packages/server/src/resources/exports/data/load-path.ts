import type { FastifyInstance } from 'fastify';
import { asPrincipal } from '../../../auth/index.js';
import { NoUseTryingAgain } from '../../../jobs/index.js';
import { ApiError } from '../../../kernel/errors.js';
import { isObject, type Json, type JsonObject } from '../../../kernel/json.js';
import type { Reading } from './compute.js';
import type { Material } from './export-data.js';

/** Results at most, of all pages. */
const MOST_RESULTS = 50_000;

/** What a path of the API answers to its reader, followed through all pages. */
export async function loadPath(app: FastifyInstance, reading: Reading, context: JsonObject, title: string): Promise<Material> {
  const { deps, principal } = reading.reader;
  const body = await asPrincipal(deps, principal, async (authorization) => {
    const first = await ask(app, reading, context['path'], authorization, context);
    if (!isObject(first) || !Array.isArray(first['results']) || typeof first['next'] !== 'string') return first;
    const results: Json[] = [...first['results']];
    let next: Json | undefined = first['next'];
    while (typeof next === 'string' && results.length < MOST_RESULTS) {
      reading.signal.throwIfAborted();
      const page: Json = await ask(app, reading, next, authorization, {});
      if (!isObject(page) || !Array.isArray(page['results'])) break;
      results.push(...page['results']);
      next = page['next'];
    }
    // what is left of it says that there is more
    return {
      ...first,
      next: results.length > MOST_RESULTS ? first['next'] : (next ?? null),
      previous: null,
      results: results.slice(0, MOST_RESULTS),
    };
  });
  return { kind: 'response', title, body };
}

async function ask(
  app: FastifyInstance,
  { reader: { project } }: Reading,
  path: unknown,
  authorization: string,
  { method: asked = 'GET', body }: JsonObject,
): Promise<Json> {
  const method = String(asked).toUpperCase();
  const url = allowed(path, project.id);
  const isQuery = /^\/api\/[a-z]+\/[^/]+\/query\/?(\?|$)/.test(url);
  if (method !== 'GET' && !(method === 'POST' && isQuery)) throw new NoUseTryingAgain('Only what reads can be exported.');
  const answer = await app.inject({
    method,
    url,
    headers: { authorization, accept: 'application/json', ...(method === 'POST' ? { 'content-type': 'application/json' } : {}) },
    ...(method === 'POST' ? { payload: JSON.stringify(body ?? {}) } : {}),
  });
  const { statusCode } = answer;
  if (statusCode >= 500) throw new ApiError('unavailable');
  const parsed = parsedJson(answer.body);
  if (statusCode < 300 && parsed !== undefined) return parsed;
  const detail =
    isObject(parsed) && typeof parsed['detail'] === 'string' ? parsed['detail'] : `The path answered with status ${statusCode}.`;
  throw new NoUseTryingAgain(detail);
}

/** The path alone, below the project of the export; exports of exports, however they are spelled, would wait for each other. */
function allowed(path: unknown, projectId: number): string {
  const isAddress = typeof path === 'string' && URL.canParse(path, 'http://localhost');
  const { pathname, search } = new URL(isAddress ? path : '/', 'http://localhost');
  const [, scope, rest = ''] = /^\/api\/(?:projects|environments)\/(\d+|@current)\/(.+)$/.exec(pathname) ?? [];
  const isOurs = scope === String(projectId) || scope === '@current';
  if (!isOurs || /^(exports(\/|$)|[^/?]*%)/.test(rest))
    throw new NoUseTryingAgain('The path must be one of this project in the API.');
  return `/api/projects/${projectId}/${rest}${search}`;
}

function parsedJson(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
