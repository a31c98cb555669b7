import { describe, expect, test } from 'vitest';
import { PASSWORD } from '../testing/accounts-app.js';
import { useAccounts, useEmbeddedService } from '../testing/command-services.js';
import { runCommand } from '../testing/run-command.js';

describe('on the PostgreSQL of DATABASE_URL', () => {
  const target = useAccounts();

  let count = 0;
  const newAddress = () => `person${++count}-${Date.now()}@example.com`;
  const create = (args: string[], piped = PASSWORD) => runCommand(['users:create', ...args], target.env, { piped });
  const userCount = async () => (await target.it.deps.db.selectFrom('users').select('id').execute()).length;
  const members = async () =>
    (await target.it.call(target.it.owner, 'GET', '/api/organizations/@current/members/')).json().results;

  test('a password makes a member of the only organization, who logs in to the running service', async () => {
    const email = newAddress();
    const result = await create([email, '--name', 'Ada', '--last-name', 'Byron', '--level', 'admin', '--password-stdin']);
    expect(result).toEqual({ code: 0, output: `${email} has an account now, in the organization "First".\n`, errors: '' });
    const caller = await target.it.logIn(email);
    const me = (await target.it.call(caller, 'GET', '/api/users/@me/')).json();
    expect(me).toMatchObject({
      email,
      first_name: 'Ada',
      last_name: 'Byron',
      organization: { name: 'First', membership_level: 8 },
    });
    expect(await members()).toContainEqual(expect.objectContaining({ level: 8, user: expect.objectContaining({ email }) }));
    // an administrator sees the organization's projects
    expect((await target.it.call(caller, 'GET', '/api/projects/@current/')).json()).toMatchObject({ name: 'Main' });
  });

  test('a terminal is prompted for the password', async () => {
    const email = newAddress();
    const typed = { typed: [PASSWORD, PASSWORD] };
    const result = await runCommand(['users:create', email, '--name', 'Ada', '--password-stdin'], target.env, typed);
    expect(result).toMatchObject({ code: 0, errors: `Password of ${email}: \nAgain: \n` });
    expect((await target.it.logIn(email)).cookie).toMatch(/^tidemark_session=/);
  });

  test('without a password the link invites, once, with the level', async () => {
    const email = newAddress();
    const result = await create([email, '--name', 'Ben', '--level', 'owner', '--host', 'https://analytics.example.com']);
    expect(result.code).toBe(0);
    expect(result.errors).toMatch(new RegExp(`^Invites ${email} to "First" until \\d{4}-.*Z\\.\n$`));
    const [, id = ''] = /^https:\/\/analytics\.example\.com\/invite\/([0-9a-f-]{36})\n$/.exec(result.output) ?? [];
    const listed = (await target.it.call(target.it.owner, 'GET', '/api/organizations/@current/invites/')).json().results;
    expect(listed).toContainEqual(expect.objectContaining({ id, target_email: email, level: 15, created_by: null }));
    const sign = () => target.it.call({}, 'POST', `/api/signup/${id}/`, { first_name: 'Ben', password: PASSWORD });
    expect((await sign()).statusCode).toBe(201);
    expect((await sign()).statusCode).toBe(400);
    expect(await members()).toContainEqual(expect.objectContaining({ level: 15, user: expect.objectContaining({ email }) }));
    const log = (
      await target.it.call(target.it.owner, 'GET', '/api/organizations/@current/activity_log/?scope=OrganizationInvite')
    ).json();
    expect(log.results).toContainEqual(
      expect.objectContaining({ user: null, activity: 'created', detail: expect.objectContaining({ name: email }) }),
    );
  });

  test('the address of the link is that of this machine without --host', async () => {
    const invite = await runCommand(['users:create', newAddress()], { ...target.env, PORT: '8123', HOST: '0.0.0.0' });
    expect(invite).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^http:\/\/127\.0\.0\.1:8123\/invite\/[0-9a-f-]+\n$/),
    });
  });

  test('another organization is made and named, by its name or UUID', async () => {
    const founder = newAddress();
    const name = `Second ${founder}`;
    const made = await create([founder, '--name', 'Cleo', '--new-organization', name, '--password-stdin']);
    expect(made).toMatchObject({ code: 0, output: `${founder} has an account now, in the organization "${name}".\n` });
    const caller = await target.it.logIn(founder);
    const { organization } = (await target.it.call(caller, 'GET', '/api/users/@me/')).json();
    expect(organization).toMatchObject({
      name,
      membership_level: 15,
      teams: [expect.objectContaining({ name: 'Default project' })],
    });

    for (const named of [name.toUpperCase(), organization.id]) {
      const email = newAddress();
      expect(await create([email, '--name', 'Dan', '--organization', named, '--password-stdin'])).toMatchObject({ code: 0 });
      expect((await target.it.call(await target.it.logIn(email), 'GET', '/api/users/@me/')).json().organization.name).toBe(name);
    }
    const unclear = await create([newAddress(), '--name', 'Eve', '--password-stdin']);
    expect(unclear).toMatchObject({ code: 1, errors: expect.stringContaining(`Say in which organization, by its UUID: `) });
    expect(unclear.errors).toContain(organization.id);
  });

  test.each([
    [['nobody', '--name', 'X'], PASSWORD, '<email>: Enter a valid email address.'],
    [
      ['owner@example.com', '--name', 'X'],
      PASSWORD,
      'There already exists an account with this email address. Please log in instead.',
    ],
    [['x1@example.com'], PASSWORD, '--name: This field is required.'],
    [['x2@example.com', '--name', 'X'], 'short', 'This password is too short. It must contain at least 8 characters.'],
    [['x3@example.com', '--name', 'X'], 'x3@example.com', 'This password is too weak.'],
    [['x4@example.com', '--name', 'X'], '', 'No password was given.'],
    [['x5@example.com', '--name', 'X', '--organization', 'None'], PASSWORD, 'There is no organization "None".'],
  ])('%j with "%s": %s', async (args, password, text) => {
    const organization = args.includes('--organization') ? [] : ['--organization', 'First'];
    const before = await userCount();
    expect(await create([...args, ...organization, '--password-stdin'], password)).toEqual({
      code: 1,
      output: '',
      errors: `${text}\n`,
    });
    expect(await userCount()).toBe(before);
  });

  test('a member is not invited again', async () => {
    const again = await create(['owner@example.com', '--organization', 'First']);
    expect(again).toMatchObject({ code: 1, output: '', errors: expect.stringContaining('already belongs to the organization') });
  });

  test.each([
    [['a@example.com', '--level', 'king'], "argument 'king' is invalid"],
    [['a@example.com', '--new-organization', 'X'], 'needs --password-stdin'],
    [['a@example.com', '--new-organization', 'X', '--organization', 'Y', '--password-stdin'], 'cannot be used with option'],
  ])('wrong use: %j', async (args, text) => {
    expect(await create(args)).toMatchObject({ code: 2, output: '', errors: expect.stringContaining(text) });
  });

  test('users:list has every account, as a table and as JSON lines', async () => {
    const email = newAddress();
    await create([email, '--name', 'Fay', '--last-name', 'Wray', '--organization', 'First', '--password-stdin']);
    await target.it.logIn(email);
    const json = await runCommand(['users:list', '--json'], target.env);
    expect(json).toMatchObject({ code: 0, errors: '' });
    const listed = json.output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(listed).toHaveLength(await userCount());
    expect(listed.map((one) => one.email)).toEqual(expect.arrayContaining(['owner@example.com', email]));
    const day = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(listed.find((one) => one.email === email)).toEqual({
      email,
      first_name: 'Fay',
      last_name: 'Wray',
      is_active: true,
      date_joined: day,
      last_login: day,
      organizations: [{ id: expect.any(String), name: 'First', level: 'member', is_active: true }],
    });
    expect(json.output).not.toContain('argon2');

    const table = (await runCommand(['users:list'], target.env)).output.split('\n');
    expect(table[0]).toMatch(/^e-mail +name +joined +last log-in +organizations$/);
    expect(table.find((line) => line.startsWith(`${email} `))).toMatch(
      / Fay Wray +\d{4}-\d\d-\d\d +\d{4}-\d\d-\d\d +First \(member\)$/,
    );
    const column = table[0]?.indexOf('organizations') ?? 0;
    expect(table.slice(1, -1).every((line) => line.slice(column - 2, column).trim() === '')).toBe(true);
  });

  test('keys:create prints a key that works within its scopes and projects', async () => {
    const { id } = (await target.it.call(target.it.owner, 'GET', '/api/projects/@current/')).json();
    const other = (
      await target.it.call({ cookie: target.it.owner.cookie }, 'POST', '/api/organizations/@current/projects/', { name: 'Other' })
    ).json();
    const made = await runCommand(
      [
        'keys:create',
        'Owner@Example.com',
        '--label',
        'Report',
        '--scopes',
        'dashboard:read, project:read',
        '--projects',
        `${id}`,
      ],
      target.env,
    );
    expect(made).toEqual({
      code: 0,
      output: expect.stringMatching(/^tms_[\w-]{20,}\n$/),
      errors: `The key "Report" of Owner@Example.com for projects ${id}; it is not shown again.\n`,
    });
    const key = made.output.trim();
    const status = async (method: 'GET' | 'POST', path: string) =>
      (await target.it.call({ key }, method, path, method === 'POST' ? {} : undefined)).statusCode;
    expect(await status('GET', `/api/projects/${id}/`)).toBe(200);
    expect(await status('GET', `/api/projects/${other.id}/`)).toBe(403);
    expect(await status('GET', '/api/organizations/@current/members/')).toBe(403);
    const keys = (await target.it.call({ cookie: target.it.owner.cookie }, 'GET', '/api/personal_api_keys/')).json();
    expect(keys).toContainEqual(expect.objectContaining({ label: 'Report', value: null, scoped_teams: [id] }));
  });

  test.each([
    [
      ['nobody@example.com', '--label', 'x', '--scopes', '*'],
      'There is no active account with the e-mail address nobody@example.com.',
    ],
    [['owner@example.com', '--label', 'x', '--scopes', 'dashboards:read'], '--scopes: Invalid scope: dashboards:read'],
    [
      ['owner@example.com', '--label', 'x', '--scopes', ','],
      '--scopes: This list may not be empty. Use "*" for a key that may do everything.',
    ],
    [['owner@example.com', '--label', ' ', '--scopes', '*'], '--label: This field may not be blank.'],
    [['owner@example.com', '--label', 'x', '--scopes', '*', '--projects', 'one'], '--projects: A valid integer is required.'],
    [
      ['owner@example.com', '--label', 'x', '--scopes', '*', '--projects', '99999'],
      '--projects: You must be a member of all teams that you are scoping the key to.',
    ],
  ])('keys:create %j: %s', async (args, text) => {
    expect(await runCommand(['keys:create', ...args], target.env)).toEqual({ code: 1, output: '', errors: `${text}\n` });
  });
});

describe('on the embedded PostgreSQL', () => {
  const target = useEmbeddedService();

  const logIn = async (email: string) =>
    (
      await fetch(`${target.it.url}/api/login/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password: PASSWORD }),
      })
    ).status;
  const createOne = (email: string) =>
    runCommand(['users:create', email, '--name', 'One', '--password-stdin'], target.env, { piped: PASSWORD });

  test('while the service runs, and while it is stopped', { timeout: 300_000 }, async () => {
    const suffix = `${Date.now()}@example.com`;
    expect(await createOne(`running-${suffix}`)).toMatchObject({ code: 0, errors: '' });
    expect(await logIn(`running-${suffix}`)).toBe(200);
    const key = await runCommand(['keys:create', `running-${suffix}`, '--label', 'x', '--scopes', '*'], target.env);
    const me = await fetch(`${target.it.url}/api/users/@me/`, { headers: { authorization: `Bearer ${key.output.trim()}` } });
    expect([me.status, ((await me.json()) as { email: string }).email]).toEqual([200, `running-${suffix}`]);
    const invite = await runCommand(['users:create', `invited-${suffix}`], target.env);
    expect(new URL(invite.output.trim()).origin).toBe(target.it.url);
    const open = await fetch(`${target.it.url}/api/signup/${invite.output.trim().split('/').at(-1)}/`);
    expect([open.status, await open.json()]).toEqual([200, expect.objectContaining({ organization_name: expect.any(String) })]);

    await target.it.stop();
    expect(await createOne(`stopped-${suffix}`)).toMatchObject({ code: 0, errors: '' });
    const listed = await runCommand(['users:list', '--json'], target.env);
    expect(listed.output).toContain(`stopped-${suffix}`);
    await target.it.restart();
    expect(await logIn(`stopped-${suffix}`)).toBe(200);
  });

  test('a directory without data is reported in one sentence', async () => {
    const empty = await runCommand(['users:list'], { TIDEMARK_DATA: `${target.it.dataDir}-none` });
    expect(empty).toMatchObject({ code: 1, output: '', errors: expect.stringMatching(/^There is no data of Tidemark in .*\n$/) });
  });
});
