import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import { Refusal } from '../http-client.js';
import type { Target } from '../target.js';
import { RULED_KINDS, SHARED_KINDS } from './access-rules.js';
import type { ObjectKind } from './object-source.js';

/** Lists the objects of a kind. */
type List = (kind: ObjectKind) => AsyncIterable<JsonObject>;

const nameOf = (object: JsonObject): Json => object['key'] ?? object['name'] ?? String(object['id']);

/** The access rules of a project, of its kinds of objects and of each object, with members as e-mails and roles as names. */
export async function* listAccessRules({ client, api }: Target, list: List): AsyncGenerator<JsonObject> {
  const get = (path: string) => client.request('GET', path);
  const project = await get(`${api}/`);
  const organization = `/api/organizations/${(isObject(project) ? project['organization'] : null) ?? '@current'}`;
  const emails = new Map<string, Json>();
  for (const { id, user } of listIn(await get(`${organization}/members/?limit=1000`), 'results')) {
    if (isObject(user)) emails.set(String(id), user['email'] ?? null);
  }
  let roles: Map<string, Json> | null = null;
  const portable = async (rule: JsonObject, more: JsonObject): Promise<JsonObject> => {
    const { organization_member: member, role } = rule;
    if (role !== null && role !== undefined) {
      const found = roles === null ? listIn(await get(`${organization}/roles/?limit=1000`), 'results') : [];
      roles ??= new Map(found.map(({ id, name }) => [String(id), name ?? null]));
    }
    return {
      ...more,
      access_level: rule['access_level'] ?? null,
      resource: rule['resource'] ?? null,
      email: member ? (emails.get(String(member)) ?? String(member)) : null,
      role: role ? (roles?.get(String(role)) ?? String(role)) : null,
    };
  };
  for (const rule of listIn(await get(`${api}/access_controls/`), 'access_controls')) yield portable(rule, { of: 'project' });
  for (const rule of listIn(await get(`${api}/resource_access_controls/`), 'access_controls'))
    yield portable(rule, { of: 'resource' });
  for (const [kind, path] of Object.entries(RULED_KINDS)) {
    for await (const object of list(kind as ObjectKind)) {
      const more = { of: kind, object_id: object['id'] ?? null, object_name: nameOf(object) };
      const found = await givenBy(get(`${api}/${path}/${object['id']}/access_controls/`));
      for (const rule of listIn(found, 'access_controls')) yield portable(rule, more);
    }
  }
}

/** The shares of a project that are switched on. */
export async function* listShares({ client, api }: Target, list: List): AsyncGenerator<JsonObject> {
  for (const kind of SHARED_KINDS) {
    for await (const object of list(kind)) {
      const share = await givenBy(client.request('GET', `${api}/${kind}/${object['id']}/sharing/`));
      if (!isObject(share) || share['enabled'] !== true) continue;
      const { access_token: _, ...rest } = share;
      yield { ...rest, of: kind, object_id: object['id'] ?? null, object_name: nameOf(object) };
    }
  }
}

/** What people did to each flag, the newest first, as the log of the source has it. @param pages reads a list to its end */
export async function* listFlagHistory(
  list: List,
  pages: (path: string) => AsyncIterable<JsonObject>,
): AsyncGenerator<JsonObject> {
  for await (const flag of list('feature_flags')) {
    for await (const entry of pages(`feature_flags/${flag['id']}/activity/`)) yield { ...entry, flag: nameOf(flag) };
  }
}

function listIn(response: Json, member: string): JsonObject[] {
  const found = isObject(response) ? response[member] : null;
  return Array.isArray(found) ? found.filter(isObject) : [];
}

/** The response; null where an object has no such part, as the insights of some versions. */
async function givenBy(response: Promise<Json>): Promise<Json> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof Refusal && (error.status === 404 || error.status === 405)) return null;
    throw error;
  }
}
