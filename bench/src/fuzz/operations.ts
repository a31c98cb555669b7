import { readFile } from 'node:fs/promises';
import { type Random, uuidFrom } from '@tidemark/testkit';
import { isRecord } from '../session.js';
import { anyValue, broken, chance, oddText, type Resolve, valueFor, whole } from './values.js';

const DESCRIPTION = new URL('../../../openapi.json', import.meta.url);

/** A request as it goes over the wire. */
export interface FuzzRequest {
  /** Under what its answer is counted. */
  group: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer | null;
}

/** One method of one path of the API's description. */
interface Operation {
  method: string;
  path: string;
  group: string;
  query: { name: string; schema: unknown }[];
  body: unknown;
}

/** What ends the account with which the fuzzer asks, or its key or project: these are only asked of things that do not exist. */
const ENDS_THE_RUN =
  /^delete \/api\/(organizations|projects)\/(\{organization_id\}\/projects\/)?\{\w+\}\/$|reset_token|^patch \/api\/users\/|personal_api_keys\/\{id\}|\/members\/\{/;

/** Ids that answers have told, by the name of the resource, so that later requests are about what exists. */
export interface KnownIds {
  note(group: string, answer: string): void;
  one(random: Random, group: string): string | null;
}

const MOST_IDS = 200;

export function knownIds(): KnownIds {
  const ids = new Map<string, string[]>();
  let noted = 0;
  return {
    note(group, answer) {
      const list = ids.get(group) ?? [];
      ids.set(group, list);
      // the newest take the places of the oldest
      for (const [, id = ''] of answer.matchAll(/"(?:id|uuid|short_id)":"?([\w-]{1,40})/g)) {
        if (list.length < MOST_IDS) list.push(id);
        else list[noted++ % MOST_IDS] = id;
      }
    },
    one(random, group) {
      const list = ids.get(group) ?? [];
      return list[whole(random, list.length)] ?? null;
    },
  };
}

/** Makes requests to all that the API's description names. */
export async function apiRequests(key: string, ids: KnownIds): Promise<(random: Random) => FuzzRequest> {
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
    const operation = operations[whole(random, operations.length)];
    if (!operation) throw new Error('The description names no operation.');
    return requestFor(random, operation, { key, ids, resolve });
  };
}

function operationsOf(description: unknown, resolve: Resolve): Operation[] {
  const paths = isRecord(description) && isRecord(description['paths']) ? description['paths'] : {};
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(isRecord(methods) ? methods : {}).flatMap(([method, operation]): Operation[] => {
      if (!/^(get|post|put|patch|delete)$/.test(method) || !isRecord(operation)) return [];
      const parameters = Array.isArray(operation['parameters']) ? operation['parameters'].map(resolve) : [];
      const query = parameters.flatMap(({ name, schema, in: place }) =>
        place === 'query' && typeof name === 'string' ? [{ name, schema }] : [],
      );
      const { content } = resolve(operation['requestBody']);
      const json = isRecord(content) ? (content['application/json'] ?? Object.values(content)[0]) : undefined;
      const body = isRecord(json) ? json['schema'] : undefined;
      return [{ method, path, group: groupOf(path), query, body }];
    }),
  );
}

/** `/api/environments/{project_id}/dashboards/{id}/` → `dashboards`. */
function groupOf(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== 'api' && !part.startsWith('{'));
  const [first = 'root', second] = parts;
  return /^(environments|organizations)$/.test(first) && second ? second : first;
}

interface Making {
  key: string;
  ids: KnownIds;
  resolve: Resolve;
}

function requestFor(random: Random, { method, path, group, query, body }: Operation, { key, ids, resolve }: Making): FuzzRequest {
  const mayExist = !ENDS_THE_RUN.test(`${method} ${path}`);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(idFor(random, name, group, ids, mayExist)));
  const parameters = query
    .filter(() => chance(random, 0.3))
    .map(({ name, schema }): [string, string] => {
      const value = chance(random, 0.8) ? valueFor(random, schema, resolve, name) : anyValue(random);
      return [name, typeof value === 'string' ? value : (JSON.stringify(value) ?? '')];
    });
  if (chance(random, 0.05)) parameters.push([oddText(random), oddText(random)]);
  const search = parameters.length > 0 ? `?${new URLSearchParams(parameters)}` : '';
  const headers: Record<string, string> = chance(random, 0.97) ? { authorization: `Bearer ${key}` } : {};
  if (body === undefined || (method === 'get' && chance(random, 0.95))) {
    return { group, method: method.toUpperCase(), path: filled + search, headers, body: null };
  }
  const value = valueFor(random, body, resolve);
  const text = JSON.stringify(chance(random, 0.5) ? value : broken(random, value)) ?? '';
  headers['content-type'] = chance(random, 0.97) ? 'application/json' : contentType(random);
  return { group, method: method.toUpperCase(), path: filled + search, headers, body: damaged(random, text) };
}

function idFor(random: Random, name: string, group: string, ids: KnownIds, mayExist: boolean): string {
  if (!mayExist) return chance(random, 0.5) ? String(900_000_000 + whole(random, 1e6)) : uuidFrom(random);
  if (/^(project_id|organization_id|user_id)$/.test(name) && chance(random, 0.95)) return '@current';
  const known = chance(random, 0.8) ? ids.one(random, group) : null;
  if (known !== null) return known;
  return chance(random, 0.6) ? String(whole(random, 50)) : wellFormed(oddText(random)) || '0';
}

/** Without halves of characters, of which no address can be made. */
const wellFormed = (text: string): string => Buffer.from(text).toString();

const contentType = (random: Random): string =>
  ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/xml', '???'][
    whole(random, 5)
  ] ?? '';

/** The bytes of a text, now and then not those that were meant. */
export function damaged(random: Random, text: string): Buffer {
  const bytes = Buffer.from(text);
  if (chance(random, 0.92) || bytes.length === 0) return bytes;
  const at = whole(random, bytes.length);
  if (chance(random, 0.4)) return bytes.subarray(0, at);
  if (chance(random, 0.5)) bytes[at] = whole(random, 256);
  else return Buffer.concat([bytes.subarray(0, at), Buffer.from([0xff, 0xc0, 0x22]), bytes.subarray(at)]);
  return bytes;
}
