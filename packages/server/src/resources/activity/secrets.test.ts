import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AccountsApp, PASSWORD, startAccountsApp } from '../../testing/accounts-app.js';
import { ACTIVITY_SCOPES } from './entry.js';

const SHARE_PASSWORD = 'open sesame, said the tester';
const ORGANIZATION = '/api/organizations/@current';
const PROJECT = '/api/projects/@current';

let it: AccountsApp;
/** Everything that answers showed once and that must not be found again. */
const shown: string[] = [];
beforeAll(async () => {
  it = await startAccountsApp();
  await walk();
});
afterAll(() => it.close());

/** Whatever the API answers. */
type Answer = ReturnType<typeof JSON.parse>;

async function by(
  caller: { key?: string; cookie?: string },
  method: 'POST' | 'PATCH' | 'PUT' | 'DELETE' | 'GET',
  url: string,
  body?: object,
): Promise<Answer> {
  const answer = await it.call(caller, method, url, body);
  expect([method, url, answer.statusCode < 300 ? 'done' : answer.body]).toEqual([method, url, 'done']);
  return answer.body ? answer.json() : null;
}

/** Does everything that is written down, once. */
async function walk(): Promise<void> {
  const owner = { cookie: it.owner.cookie };
  shown.push(PASSWORD, SHARE_PASSWORD, it.owner.key, it.owner.cookie.split('=')[1] ?? '');

  const key = await by(owner, 'POST', '/api/personal_api_keys/', { label: 'ci', scopes: ['*'] });
  const rolled = await by(owner, 'POST', `/api/personal_api_keys/${key.id}/roll/`);
  await by(owner, 'PATCH', `/api/personal_api_keys/${key.id}/`, { label: 'renamed', scopes: ['user:read'] });
  await by(owner, 'DELETE', `/api/personal_api_keys/${key.id}/`);
  shown.push(key.value, rolled.value);

  const project = await by(owner, 'POST', '/api/projects/', { name: 'Second', api_token: 'tmk_chosen-by-somebody' });
  const reset = await by(owner, 'PATCH', `/api/projects/${project.id}/reset_token/`);
  await by(owner, 'PATCH', `/api/projects/${project.id}/`, { name: 'Third', access_control: true });
  shown.push(project.api_token, reset.api_token);

  const invite = await by(owner, 'POST', `${ORGANIZATION}/invites/`, { target_email: 'one@example.com' });
  await by(owner, 'DELETE', `${ORGANIZATION}/invites/${invite.id}/`);
  const open = await by(owner, 'POST', `${ORGANIZATION}/invites/`, { target_email: 'two@example.com', message: 'Welcome' });
  shown.push(invite.id, open.id);
  const access = { private_project_access: [{ id: project.id, level: 1 }] };
  const member = await it.invite('member@example.com', 1, access);
  const other = await it.invite('other@example.com');
  shown.push(member.cookie.split('=')[1] ?? '');
  await by(owner, 'PATCH', `${ORGANIZATION}/members/${member.uuid}/`, { level: 8 });
  await by(owner, 'PATCH', `${ORGANIZATION}/members/${member.uuid}/`, { level: 1 });
  await by(owner, 'PATCH', `${ORGANIZATION}/`, { name: 'Renamed' });
  await by(owner, 'PATCH', '/api/users/@me/', { password: 'another long passphrase 43', current_password: PASSWORD });
  shown.push('another long passphrase 43');

  const role = await by(owner, 'POST', `${ORGANIZATION}/roles/`, { name: 'Analysts' });
  const has = await by(owner, 'POST', `${ORGANIZATION}/roles/${role.id}/role_memberships/`, { user_uuid: member.uuid });
  await by(owner, 'PATCH', `${ORGANIZATION}/roles/${role.id}/`, { name: 'Readers' });
  await by(owner, 'DELETE', `${ORGANIZATION}/roles/${role.id}/role_memberships/${has.id}/`);

  const explicit = `/api/projects/${project.id}/explicit_members/`;
  await by(owner, 'POST', explicit, { level: 1, user_uuid: other.uuid });
  await by(owner, 'PATCH', `${explicit}${other.uuid}/`, { level: 8 });
  await by(owner, 'DELETE', `${explicit}${other.uuid}/`);

  const insight = await by(owner, 'POST', `${PROJECT}/insights/`, { name: 'Visits', query: { kind: 'TrendsQuery', series: [] } });
  const dashboard = await by(owner, 'POST', `${PROJECT}/dashboards/`, { name: 'Growth', use_template: 'DEFAULT_APP' });
  const board = `${PROJECT}/dashboards/${dashboard.id}/`;
  await by(owner, 'PATCH', board, { name: 'Grown', tags: ['a'], restriction_level: 37, tiles: [{ text: { body: 'Hello' } }] });
  await by(owner, 'PATCH', `${PROJECT}/insights/${insight.id}/`, { name: 'Visitors', dashboards: [dashboard.id] });
  await by(owner, 'POST', `${board}collaborators/`, { level: 37, user_uuid: member.uuid });
  await by(owner, 'PUT', `${board}access_controls/`, { access_level: 'viewer' });
  await by(owner, 'PUT', `${PROJECT}/access_controls/`, { access_level: 'member' });

  const alerts = `${PROJECT}/alerts/`;
  const watched = await by(owner, 'POST', `${PROJECT}/insights/`, {
    query: { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'paid' }] },
  });
  const alert = await by(owner, 'POST', alerts, {
    name: 'Nobody paid',
    insight: watched.id,
    condition: { type: 'absolute_value' },
    threshold: { configuration: { type: 'absolute', bounds: { lower: 1 } } },
    webhook_url: 'https://hooks.example.com/services/hush-said-the-hook',
  });
  await by(owner, 'PATCH', `${alerts}${alert.id}/`, { webhook_url: 'https://hooks.example.com/services/hush-it-said-again' });
  shown.push('hush-said-the-hook', 'hush-it-said-again');

  const templates = `${PROJECT}/dashboard_templates/`;
  const tiles = [{ type: 'TEXT', body: 'Hello', layouts: {} }];
  const template = await by(owner, 'POST', templates, { template_name: 'Weekly', tiles });
  await by(owner, 'PATCH', `${templates}${template.id}/`, { template_name: 'Monthly', image_url: 'https://example.com/a.png' });

  const { id: projectId } = await by(owner, 'GET', `${PROJECT}/`);
  const type = { project_id: projectId, group_type: 'company', group_type_index: 0, created_at: new Date(0) };
  await it.deps.db.insertInto('group_types').values(type).execute();
  await by(owner, 'POST', `${PROJECT}/groups/`, { group_type_index: 0, group_key: 'acme', group_properties: { size: 1 } });
  const acme = '?group_type_index=0&group_key=acme';
  await by(owner, 'POST', `${PROJECT}/groups/update_property/${acme}`, { key: 'size', value: 2 });
  const names = { group_type_index: 0, name_singular: 'firm', name_plural: 'firms' };
  await it.call(owner, 'PATCH', `${PROJECT}/groups_types/update_metadata/`, [names]);
  const seen = { project_id: projectId, created_at: new Date(0), last_seen_at: new Date(0) };
  const [eventId, propertyId] = [it.deps.ids.uuid(), it.deps.ids.uuid()];
  await it.deps.db
    .insertInto('event_definitions')
    .values({ ...seen, id: eventId, name: 'paid' })
    .execute();
  await it.deps.db
    .insertInto('property_definitions')
    .values({ ...seen, id: propertyId, name: 'plan', type: 'event' })
    .execute();
  await by(owner, 'PATCH', `${PROJECT}/event_definitions/${eventId}/`, { description: 'An order', verified: true });
  await by(owner, 'PATCH', `${PROJECT}/property_definitions/${propertyId}/`, { hidden: true });
  await it.call(owner, 'POST', `${PROJECT}/actions/`, { name: 'Paid', steps: [{ event: 'paid' }] });
  await it.call(owner, 'POST', `${PROJECT}/annotations/`, {
    content: 'Released',
    date_marker: '2024-01-01T00:00:00Z',
    scope: 'project',
  });

  for (const thing of [board, `${PROJECT}/insights/${insight.id}/`]) {
    const sharing = await by(owner, 'GET', `${thing}sharing/`);
    await by(owner, 'PATCH', `${thing}sharing/`, { enabled: true, password_required: true, settings: { whitelabel: true } });
    const refreshed = await by(owner, 'POST', `${thing}sharing/refresh/`);
    const password = await by(owner, 'POST', `${thing}sharing/passwords/`, { raw_password: SHARE_PASSWORD, note: 'board' });
    const made = await by(owner, 'POST', `${thing}sharing/passwords/`, {});
    await by(owner, 'DELETE', `${thing}sharing/passwords/${password.id}/`);
    shown.push(sharing.access_token, refreshed.access_token, made.password);
  }
  const secret = (word: string) => ({ has_encrypted_payloads: true, filters: { payloads: { true: JSON.stringify(word) } } });
  const flags = `${PROJECT}/feature_flags/`;
  const flag = await by(owner, 'POST', flags, { key: 'limits', ...secret('hush, said the flag') });
  await by(owner, 'PATCH', `${flags}${flag.id}/`, secret('hush, it said again'));
  shown.push('hush, said the flag', 'hush, it said again');
  await by(owner, 'POST', `${PROJECT}/cohorts/`, { name: 'Insiders', is_static: true });
  await by(owner, 'POST', `${PROJECT}/insight_variables/`, { name: 'Country', type: 'String' });
  await by(owner, 'POST', `${PROJECT}/early_access_feature/`, { name: 'Dark mode', stage: 'beta' });
  const variants = ['control', 'test'].map((key) => ({ key, rollout_percentage: 50 }));
  await by(owner, 'POST', `${PROJECT}/experiments/`, {
    name: 'Button',
    feature_flag_key: 'button',
    parameters: { feature_flag_variants: variants },
  });
  await by(owner, 'POST', `${PROJECT}/annotations/`, { content: 'Released', date_marker: '2026-01-01T00:00:00Z' });
  await by(owner, 'POST', `${PROJECT}/surveys/`, { name: 'Feedback', questions: [{ type: 'open', question: 'Why?' }] });
  await by(owner, 'PATCH', board, { deleted: true, delete_insights: true });
  await by(owner, 'PATCH', board, { deleted: false });
  const gone = await by(owner, 'POST', '/api/projects/', { name: 'Gone' });
  await by(owner, 'DELETE', `/api/projects/${gone.id}/`);
  shown.push(gone.api_token);
  await by(owner, 'DELETE', `${ORGANIZATION}/members/${member.uuid}/`);
}

const wholeLog = async (): Promise<string> => {
  const { rows } = await sql<{ text: string }>`select to_jsonb(a)::text as text from activity_log a`.execute(it.deps.db);
  return rows.map((row) => row.text).join('\n');
};

/** Every value of a column that holds tokens, passwords or hashes, as the log could hold it. */
async function storedSecrets(): Promise<string[]> {
  const columns = await sql<{ table: string; column: string }>`
    select table_name as "table", column_name as "column" from information_schema.columns
    where table_schema = 'public' and data_type in ('text', 'bytea') and column_name ~ 'token|password|hash|mask'`.execute(
    it.deps.db,
  );
  const found: string[] = [];
  for (const { table, column } of columns.rows) {
    const { rows } = await sql<{ value: string | Buffer | null }>`
      select ${sql.ref(column)} as value from ${sql.table(table)}`.execute(it.deps.db);
    for (const { value } of rows) {
      if (Buffer.isBuffer(value)) found.push(value.toString('hex'), value.toString('base64'), value.toString('base64url'));
      else if (value) found.push(value);
    }
  }
  return found;
}

test('the log has no key, token, password, hash or invite that a response or a table had', async () => {
  const log = await wholeLog();
  const secrets = [...shown, ...(await storedSecrets())];
  expect(secrets.length).toBeGreaterThan(30);
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(7);
    expect(log.includes(secret), secret).toBe(false);
  }
  expect(log).not.toMatch(/tm[sk]_|\$argon2/);
});

test('the requests of the test above cause every kind of entry that any module records', async () => {
  const resources = join(import.meta.dirname, '..');
  const sources = readdirSync(resources, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('activity/'))
    .map((file) => readFileSync(join(resources, file), 'utf8'))
    .filter((source) => /recordActivit|ActivityEntry|logKey/.test(source));
  const written = ACTIVITY_SCOPES.filter((scope) => sources.some((source) => source.includes(`'${scope}'`)));
  const { rows } = await sql<{ scope: string }>`select distinct scope from activity_log`.execute(it.deps.db);
  const walked = new Set(rows.map((row) => row.scope));
  expect(written.filter((scope) => !walked.has(scope))).toEqual([]);
  expect(walked.size).toBeGreaterThan(12);
});
