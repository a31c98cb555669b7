import { isObject, type JsonObject } from '../../kernel/json.js';
import { Refusal } from '../http-client.js';
import type { ObjectImport } from './create-objects.js';

/** Kinds whose objects have rules of their own, with their paths. */
export const RULED_KINDS = {
  cohorts: 'cohorts',
  actions: 'actions',
  feature_flags: 'feature_flags',
  experiments: 'experiments',
  surveys: 'surveys',
  insights: 'insights',
  dashboards: 'dashboards',
} as const;

/** Kinds whose objects can be shared by a link. */
export const SHARED_KINDS = ['insights', 'dashboards'] as const;

/**
 * Imports access rules. Members are found by their e-mail, roles by their name. Rules come after the objects, which the importing person made and
 * therefore keeps the access to.
 */
export async function importAccessRules(importing: ObjectImport): Promise<void> {
  const { source, target, state, report, isDryRun } = importing;
  const skip = (reason: string, name: string) => report.count('access_rules', 'skipped', 1, reason, name);
  const people = await peopleOf(importing);
  for await (const rule of source.list('access_rules')) {
    const name = `${rule['of']}${rule['object_name'] ? ` ${rule['object_name']}` : ''}: ${rule['access_level']}`;
    const body: JsonObject = { access_level: rule['access_level'] ?? null };
    let path = 'access_controls/';
    if (rule['of'] === 'resource') {
      path = 'resource_access_controls/';
      body['resource'] = rule['resource'] ?? null;
    } else if (rule['of'] !== 'project') {
      const kind = String(rule['of']);
      const id = state.data.ids[kind]?.[String(rule['object_id'])];
      if (id === undefined) {
        skip('its object was not imported', name);
        continue;
      }
      path = `${kind}/${id}/access_controls/`;
    }
    const { email, role } = rule;
    if (typeof email === 'string') {
      const member = people.members.get(email.toLowerCase());
      if (member === undefined) {
        skip(
          'its member has not joined yet: run the import again with --only access_rules when everybody has',
          `${name}, ${email}`,
        );
        continue;
      }
      body['organization_member'] = member;
    } else if (typeof role === 'string') body['role'] = await people.role(role);
    if (isDryRun) {
      report.count('access_rules', 'imported');
      continue;
    }
    try {
      await target.client.request('PUT', `${target.api}/${path}`, body);
      report.count('access_rules', 'imported');
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      skip(`the target refuses it: ${error.message}`, name);
    }
  }
}

/** Members and roles of the target. A role that it has not is made, without members. */
async function peopleOf({ target: { client, api }, report, isDryRun }: ObjectImport) {
  const project = await client.request('GET', `${api}/`);
  const organization = `/api/organizations/${isObject(project) ? project['organization'] : '@current'}`;
  const listOf = async (path: string): Promise<JsonObject[]> => {
    const page = await client.request('GET', `${organization}/${path}?limit=1000`);
    return isObject(page) && Array.isArray(page['results']) ? page['results'].filter(isObject) : [];
  };
  const members = new Map<string, string>();
  for (const { id, user } of await listOf('members/')) {
    if (isObject(user) && typeof user['email'] === 'string') members.set(user['email'].toLowerCase(), String(id));
  }
  const roles = new Map((await listOf('roles/')).map(({ id, name }) => [String(name), String(id)]));
  return {
    members,
    role: async (name: string): Promise<string> => {
      let id = roles.get(name);
      if (id !== undefined) return id;
      const made = isDryRun ? null : await client.request('POST', `${organization}/roles/`, { name });
      id = isObject(made) ? String(made['id']) : '';
      roles.set(name, id);
      report.count('roles', 'translated', 1, 'the role is made without members: add them', name);
      return id;
    },
  };
}

/** Prepares the shares of the source, switched off: their links are others, and who publishes a page decides it here. */
export async function importShares(importing: ObjectImport): Promise<void> {
  const { source, target, state, report, isDryRun } = importing;
  for await (const share of source.list('shares')) {
    const [kind, name] = [String(share['of']), String(share['object_name'])];
    const id = state.data.ids[kind]?.[String(share['object_id'])];
    if (id === undefined) {
      report.count('shares', 'skipped', 1, 'its object was not imported', name);
      continue;
    }
    const settings = isObject(share['settings']) ? share['settings'] : {};
    const known = Object.fromEntries(SETTINGS.flatMap((one) => (settings[one] === undefined ? [] : [[one, settings[one]]])));
    try {
      if (!isDryRun) {
        const path = `${target.api}/${kind}/${id}/sharing/`;
        const there = await target.client.request('GET', path);
        if (isObject(there) && there['enabled'] === true) {
          report.count('shares', 'present', 1, 'somebody switched it on here, so it stays as it is', name);
          continue;
        }
        await target.client.request('PATCH', path, {
          enabled: false,
          ...(Object.keys(known).length > 0 ? { settings: known } : {}),
          // nobody gives passwords away: without one of its own the page stays closed
          ...(share['password_required'] === true ? { password_required: true } : {}),
        });
      }
      report.count(
        'shares',
        'translated',
        1,
        share['password_required'] === true
          ? 'it is switched off here, its link will be another, and it has no passwords yet: make one, and turn it on to publish it'
          : 'it is switched off here, and its link will be another: turn it on to publish it',
        name,
      );
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      report.count('shares', 'skipped', 1, `the target refuses it: ${error.message}`, name);
    }
  }
}

/** Settings of shares that mean the same. */
const SETTINGS = [
  'noHeader',
  'whitelabel',
  'hideExtraDetails',
  'legend',
  'detailed',
  'dateRange',
  'downloads',
  'annotations',
  'theme',
];
