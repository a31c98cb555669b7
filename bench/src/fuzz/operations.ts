import { readFile } from 'node:fs/promises';
import { type Random, uuidFrom } from '@tidemark/testkit';
import { isRecord } from '../session.js';
import type { Caller, Places } from './callers.js';
import { damaged } from './encodings.js';
import type { KnownIds } from './known-ids.js';
import { anyValue, broken, chance, oddText, type Resolve, valueFor, wellFormed, whole } from './values.js';

const DESCRIPTION = new URL('../../../openapi.json', import.meta.url);

/** A raw HTTP request. */
export interface FuzzRequest {
  /** The resource that its response counts under. */
  group: string;
  /** The operation that it targets. */
  operation: string;
  /** Resources whose ids the response contains. */
  collections: readonly string[];
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer | null;
  /** Whether the caller belongs to another organization and may see nothing. */
  isForeign: boolean;
}

/** Paths that end the caller's session. */
const ENDS_SESSIONS = /logout/;

/** One operation of the OpenAPI document. */
interface Operation {
  method: string;
  path: string;
  group: string;
  collections: readonly string[];
  query: { name: string; schema: unknown }[];
  body: unknown;
}

/** Operations that would delete the fuzzer's account, key or project; they are only called with unknown ids. */
const ENDS_THE_RUN =
  /^delete \/api\/(organizations|projects)\/(\{organization_id\}\/projects\/)?\{\w+\}\/$|reset_token|^patch \/api\/users\/|personal_api_keys\/\{id\}|\/members\/\{/;

/** Generates requests to every operation of the OpenAPI document. */
export async function apiRequests(
  callers: { any: (random: Random) => Caller; places: Places },
  ids: KnownIds,
): Promise<(random: Random) => FuzzRequest> {
  const description: unknown = JSON.parse(await readFile(DESCRIPTION, 'utf8'));
  const resolve: Resolve = (schema) => {
    let found = schema;
    for (let steps = 0; isRecord(found) && typeof found['$ref'] === 'string' && steps < 20; steps++) {
      found = found['$ref']
        .slice(2)
        .split('/')
        .reduce<unknown>((at, name) => (isRecord(at) ? at[name] : undefined), description);
    }
    return isRecord(found) ? found : {};
  };
  const operations = operationsOf(description, resolve);
  return (random) => {
    const pick = () => operations[whole(random, operations.length)];
    let operation = pick();
    while (operation && STARTS_JOB.test(`${operation.method} ${operation.path}`) && !chance(random, JOB_SHARE))
      operation = pick();
    if (!operation) throw new Error('The description names no operation.');
    return requestFor(random, operation, { ...callers, ids, resolve });
  };
}

/** Sample data are 43,000 events: often loaded, they are all that a run measures. */
const STARTS_JOB = /^post .*\/sample_data\/$/;
/** Share of such operations that are sent. */
const JOB_SHARE = 0.01;

/** Live events: the response ends with the caller's access. */
const ENDLESS = /\/live\/$/;

function operationsOf(description: unknown, resolve: Resolve): Operation[] {
  const paths = isRecord(description) && isRecord(description['paths']) ? description['paths'] : {};
  const finite = Object.entries(paths).filter(([path]) => !ENDLESS.test(path));
  return finite.flatMap(([path, methods]) =>
    Object.entries(isRecord(methods) ? methods : {}).flatMap(([method, operation]): Operation[] => {
      if (!/^(get|post|put|patch|delete)$/.test(method) || !isRecord(operation)) return [];
      const parameters = Array.isArray(operation['parameters']) ? operation['parameters'].map(resolve) : [];
      const query = parameters.flatMap(({ name, schema, in: place }) =>
        place === 'query' && typeof name === 'string' ? [{ name, schema }] : [],
      );
      const { content } = resolve(operation['requestBody']);
      const json = isRecord(content) ? (content['application/json'] ?? Object.values(content)[0]) : undefined;
      const body = isRecord(json) ? json['schema'] : undefined;
      return [{ method, path, group: groupOf(path), collections: collectionsOf(path), query, body }];
    }),
  );
}

/** `/api/environments/{project_id}/dashboards/{id}/` → `dashboards`. */
function groupOf(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== 'api' && !part.startsWith('{'));
  const [first = 'root', second] = parts;
  return /^(environments|organizations)$/.test(first) && second ? second : first;
}

/** The resource of a path: its last collection, or the first one for actions on an object. */
function collectionsOf(path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '');
  const last = parts.findLast((part) => !part.startsWith('{')) ?? '';
  const group = groupOf(path);
  const after = parts.slice(parts.indexOf(group) + 1);
  return after.length <= 1 ? [...new Set([group, last])] : [last];
}

interface Making {
  any: (random: Random) => Caller;
  places: Places;
  ids: KnownIds;
  resolve: Resolve;
}

function requestFor(random: Random, { method, path, group, collections, query, body }: Operation, making: Making): FuzzRequest {
  const { resolve } = making;
  const operation = `${method} ${path}`;
  const mayExist = !ENDS_THE_RUN.test(operation);
  const filled = path.replace(/(?:([^/{}]+)\/)?\{(\w+)\}/g, (_, before: string | undefined, name: string) => {
    const id = encodeURIComponent(idFor(random, { name, group: before ?? group, mayExist }, making));
    return before === undefined ? id : `${before}/${id}`;
  });
  const parameters = query
    .filter(() => chance(random, 0.3))
    .map(({ name, schema }): [string, string] => {
      const value = chance(random, 0.8) ? valueFor(random, schema, resolve, name) : anyValue(random);
      return [name, typeof value === 'string' ? value : (JSON.stringify(value) ?? '')];
    });
  if (chance(random, 0.05)) parameters.push([oddText(random), oddText(random)]);
  const search = parameters.length > 0 ? `?${new URLSearchParams(parameters)}` : '';
  const caller = making.any(random);
  const { isForeign } = caller;
  const headers = ENDS_SESSIONS.test(path) ? {} : { ...caller.headers };
  const common = { group, operation, collections, isForeign, method: method.toUpperCase(), path: filled + search, headers };
  if (body === undefined || (method === 'get' && chance(random, 0.95))) {
    return { ...common, body: null };
  }
  const value = valueFor(random, body, resolve);
  const text = JSON.stringify(chance(random, 0.5) ? value : broken(random, value)) ?? '';
  headers['content-type'] = chance(random, 0.97) ? 'application/json' : contentType(random);
  return { ...common, body: damaged(random, text) };
}

function idFor(
  random: Random,
  { name, group, mayExist }: { name: string; group: string; mayExist: boolean },
  { ids, places }: Making,
): string {
  if (!mayExist) return chance(random, 0.5) ? String(900_000_000 + whole(random, 1e6)) : uuidFrom(random);
  if (isPlace(name) && chance(random, 0.95)) return chance(random, 0.8) ? places[name] : '@current';
  const known = chance(random, 0.85) ? ids.one(random, group) : null;
  if (known !== null) return known;
  return chance(random, 0.6) ? String(whole(random, 50)) : wellFormed(oddText(random)) || '0';
}

const isPlace = (name: string): name is keyof Places => /^(project_id|organization_id|user_id)$/.test(name);

const contentType = (random: Random): string =>
  ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/xml', '???'][
    whole(random, 5)
  ] ?? '';

/** Maximal length of a printed request, bytes. */
const SHOWN = 2_000;

/** A request as text, without its key. */
export function shown({ method, path, headers, body }: FuzzRequest): string {
  const { authorization: _, cookie: __, ...others } = headers;
  return `${method} ${path.slice(0, SHOWN)} ${JSON.stringify(others)} ${body?.toString('latin1', 0, SHOWN) ?? ''}`;
}
