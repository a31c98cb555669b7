import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OWNER_EMAIL, OWNER_PASSWORD, startTestService, type TestService } from '../../testing/service.js';

/*
 * Runs the commands of docs/guide/api, docs/guide/queries and flags.md as readers would: with a shell and curl, page by page, each in a project of its
 * own. Below a command stand the status in bold and what the answer holds; `keep NAME: path` comments give later commands a value.
 * Scripts (`js`) run in node, and print what the JSON below them holds.
 */
const GUIDE = new URL('../../../../../docs/guide/api/', import.meta.url);
const pages = readdirSync(GUIDE).filter((name) => name.endsWith('.md'));
const queries = readdirSync(new URL('../queries/', GUIDE)).map((name) => `../queries/${name}`);

let service: TestService;
let folder: string;
let shared: Record<string, string>;

beforeAll(async () => {
  service = await startTestService();
  const url = await service.app.listen({ port: 0, host: '127.0.0.1' });
  folder = await mkdtemp(join(tmpdir(), 'tidemark-guide-'));
  const invite = await service.call('POST', '/api/organizations/@current/invites/', {
    body: { target_email: 'colleague@example.com' },
  });
  const joined = await service.call('POST', `/api/signup/${invite.json().id}/`, {
    key: null,
    body: { first_name: 'New', password: OWNER_PASSWORD },
  });
  const { results } = (await service.call('GET', '/api/organizations/@current/members/')).json();
  shared = {
    HOST: url,
    KEY: service.personalKey,
    EMAIL: OWNER_EMAIL,
    PASSWORD: OWNER_PASSWORD,
    COLLEAGUE: joined.json().uuid,
    MEMBERSHIP: results.find((member: { user: { uuid: string } }) => member.user.uuid === joined.json().uuid).id,
    BODY: join(folder, 'body'),
    PATH: process.env['PATH'] ?? '',
  };
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

test.each([...pages, '../flags.md', ...queries])('the commands of %s have the documented responses', async (page) => {
  const project = (await service.call('POST', '/api/projects/', { body: { name: page } })).json();
  const variables = { ...shared, PROJECT: String(project.id), PROJECT_KEY: project.api_token };
  for (const { command, status, expected, keep } of stepsOf(readFileSync(new URL(page, GUIDE), 'utf8'))) {
    expect(status, `${page} says with which status this answers:\n${command}`).toBeGreaterThan(0);
    const body = await until(command, variables, status, expected);
    for (const [name, path] of keep) {
      const value = path.split('.').reduce<unknown>((object, key) => Object(object)[key], body);
      expect(value, `${page}: ${path}`).toBeDefined();
      Object.assign(variables, { [name]: String(value) });
    }
  }
});

test('the index links every page', () => {
  const index = readFileSync(new URL('README.md', GUIDE), 'utf8');
  const linked = [...index.matchAll(/^\| \[[^\]]+\]\(([\w-]+\.md)\)/gm)].map(([, name]) => name);
  expect(linked.toSorted()).toEqual(pages.filter((page) => page !== 'README.md').toSorted());
});

/** In place of a status: the command is a script for node. */
const SCRIPT = 1;

interface Step {
  command: string;
  status: number;
  expected: unknown;
  keep: [name: string, path: string][];
}

function stepsOf(markdown: string): Step[] {
  const steps: Step[] = [];
  const parts = /^```(\w+)\n([\s\S]*?)^```|^\*\*(\d{3})\*\*$|^<!-- keep (\w+): ([\w.]+) -->$/gm;
  for (const [, language, code = '', status, name, path = ''] of markdown.matchAll(parts)) {
    const step = steps.at(-1);
    if (language === 'js') steps.push({ command: code, status: SCRIPT, expected: undefined, keep: [] });
    else if (language === 'sh') steps.push({ command: code, status: 0, expected: undefined, keep: [] });
    else if (language === 'json' && step) step.expected = JSON.parse(code);
    else if (status && step) step.status = Number(status);
    else if (name && step) step.keep.push([name, path]);
  }
  return steps;
}

/** Runs a command; one that only reads again, until what was captured before is there to be read. */
async function until(command: string, variables: Record<string, string>, status: number, expected: unknown): Promise<unknown> {
  const isRead = status !== SCRIPT && (!/ -X | -d |--data /.test(command) || command.includes('/query/'));
  for (let left = 40; ; left--) {
    const answer = await (status === SCRIPT ? runScript(command, variables) : run(command, variables));
    try {
      expect(answer.status, `${command}\n${JSON.stringify(answer.body)}`).toBe(status);
      if (expected !== undefined) expect(answer.body, command).toEqual(pattern(expected));
      return answer.body;
    } catch (error) {
      if (!isRead || left === 0) throw error;
      await sleep(50);
    }
  }
}

async function run(command: string, env: Record<string, string>): Promise<{ status: number; body: unknown }> {
  await writeFile(env['BODY'] ?? '', '');
  const script = `curl() { command curl -sS -o "$BODY" -w '%{http_code}' "$@"; }\n${command}`;
  const { stdout } = await promisify(execFile)('bash', ['-euc', script], { cwd: folder, env });
  const text = await readFile(env['BODY'] ?? '', 'utf8');
  return { status: Number(stdout), body: /^[[{]/.test(text) ? JSON.parse(text) : text };
}

async function runScript(script: string, env: Record<string, string>): Promise<{ status: number; body: unknown }> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env });
  return { status: SCRIPT, body: JSON.parse(stdout) };
}

/** What an answer of the guide stands for: objects in part, `…` for any text, and any number where one identifies something. */
function pattern(expected: unknown, key = ''): unknown {
  if (Array.isArray(expected)) return expected.map((item) => pattern(item));
  if (typeof expected === 'object' && expected !== null) {
    const isFree = Object.keys(expected).length === 0;
    const fields = Object.entries(expected).map(([name, value]) => [name, pattern(value, name)]);
    return isFree ? expected : expect.objectContaining(Object.fromEntries(fields));
  }
  if (typeof expected === 'number' && /^id$|_id$/.test(key)) return expect.any(Number);
  if (typeof expected !== 'string' || !expected.includes('…')) return expected;
  return expect.stringMatching(new RegExp(`^${expected.split('…').map(quoted).join('[\\s\\S]+')}$`));
}

const quoted = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
