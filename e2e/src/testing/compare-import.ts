import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  type Difference,
  differences,
  eventSums,
  eventually,
  type ProjectContent,
  readProject,
  type Service,
  startService,
} from '@tidemark/testkit';
import { afterAll, expect } from 'vitest';
import { tidemark } from './backup-commands.js';

/**
 * Whether each file of stories compares what it left with an import of it: `1`, or the folder where each writes what it compared.
 * `npm run bench -- import-stories` sets it.
 */
const COMPARED = process.env['TIDEMARK_COMPARE_IMPORT'] ?? '';

/** What a file of tests had compared, for the table of `npm run bench -- import-stories`. */
export interface ComparedImport {
  suite: string;
  projects: number;
  /** Objects by kind, of all projects. */
  objects: Record<string, number>;
  events: number;
  /** Persons who were deleted in the source without their events, and come back with these. */
  returned: number;
  /** Objects that the import left out, and named in its report. */
  left: number;
  /** Each in a line. */
  differences: string[];
  /** What the import says that it did not take as it was. */
  reported: string[];
  seconds: number;
}

/** The report of an import, by kind. */
type Kinds = Record<string, { skipped: number; reasons: { reason: string; count: number; examples: string[] }[] }>;

/** Whether the report of an import names an object among those that it did not take. */
function isReported({ kind, name, isMissing }: Difference, kinds: Kinds): boolean {
  const { skipped = 0, reasons = [] } = kinds[kind] ?? {};
  return isMissing && skipped > 0 && reasons.some(({ examples }) => examples.some((one) => JSON.stringify(one) === name));
}

/** How long lists of names may take until they have what was stored before, milliseconds. */
const SETTLED_WITHIN = 15_000;

/**
 * Imports every project of a service into a fresh service by `tidemark import posthog`, as a person does who moves, and compares every object and
 * every event. Persons who were deleted without their events come back by them, as the guide says: they are deleted again.
 * @param env environment variables of the source, which the target gets, too
 */
async function compareImport(source: Service, suite: string, env: Record<string, string> = {}): Promise<ComparedImport> {
  const started = performance.now();
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-import-stories-'));
  const target = await startService({ env });
  const compared: ComparedImport = {
    suite,
    projects: 0,
    objects: {},
    events: 0,
    returned: 0,
    left: 0,
    differences: [],
    reported: [],
    seconds: 0,
  };
  try {
    for (const { id, name } of await projectsOf(source)) {
      const copy = compared.projects === 0 ? (await projectsOf(target))[0]?.id : await makeProject(target, `${id} ${name}`);
      const [from, to] = [`/api/projects/${id}`, `/api/projects/${copy}`];
      const { sums, reported, kinds } = await importProject(source, id, target, Number(copy), folder);
      compared.returned += await deleteReturned(await personsOf(source, from), target, to);
      const { content, found } = await comparedOnce(
        () => readProject(source, { project: from }),
        () => readProject(target, { project: to, isCopy: true }),
        Object.values(kinds).reduce((total, { skipped }) => total + skipped, 0),
      );
      compared.projects++;
      for (const [kind, objects] of Object.entries(content))
        compared.objects[kind] = (compared.objects[kind] ?? 0) + objects.length;
      compared.events += sums.reduce((total, [, count]) => total + Number(count), 0);
      compared.reported.push(...reported);
      const ofEvents = differences({ events: sums }, { events: await eventSums(target, { project: to }) });
      for (const one of [...found, ...ofEvents]) {
        if (isReported(one, kinds)) compared.left++;
        else compared.differences.push(`${one.kind} ${one.name}: ${one.what}`);
      }
    }
  } finally {
    await target.close();
    await rm(folder, { recursive: true, force: true });
  }
  compared.seconds = (performance.now() - started) / 1_000;
  return compared;
}

/** Imports a project, again while events come. @returns the sums of its events, and why the import did not take something as it was */
async function importProject(source: Service, project: number, target: Service, copy: number, folder: string) {
  const report = join(folder, `report-${project}.json`);
  const from = ['--project', String(project), '--state', join(folder, `${project}.json`)];
  const args = ['import', 'posthog', ...from, '--to-project', String(copy), '--report', report];
  const env = {
    POSTHOG_HOST: source.url,
    POSTHOG_PERSONAL_API_KEY: source.account.personalKey,
    TIDEMARK_HOST: target.url,
    TIDEMARK_PERSONAL_API_KEY: target.account.personalKey,
  };
  const reported = new Set<string>();
  let kinds: Kinds = {};
  let isImported = false;
  for (let before: unknown[][] = []; ; isImported = true) {
    const sums = await eventSums(source, { project: `/api/projects/${project}` });
    if (isImported && isDeepStrictEqual(sums, before)) return { sums, reported: [...reported], kinds };
    before = sums;
    expect(await tidemark(args, env)).toMatchObject({ code: 0 });
    ({ kinds } = JSON.parse(await readFile(report, 'utf8')) as { kinds: Kinds });
    for (const [kind, { reasons }] of Object.entries(kinds))
      for (const { reason, count, examples } of reasons) reported.add(`${kind}, ${count}: ${reason} (${examples.join(', ')})`);
  }
}

/**
 * What differs between a project and its copy once nothing changes any more: lists of names are written a moment after their events.
 * @param left how many objects may be missing
 */
async function comparedOnce(
  source: () => Promise<ProjectContent>,
  copy: () => Promise<ProjectContent>,
  left: number,
): Promise<{ content: ProjectContent; found: Difference[] }> {
  let content: ProjectContent = {};
  let found: Difference[] = [];
  await eventually(
    async () => {
      const [here, there] = await Promise.all([source(), copy()]);
      content = here;
      found = differences(here, there);
      if (found.some(({ isMissing }) => !isMissing) || found.length > left) throw new Error('They differ.');
    },
    { within: SETTLED_WITHIN, every: 500 },
  ).catch((error) => {
    if (found.length === 0) throw error;
  });
  return { content, found };
}

/**
 * With `TIDEMARK_COMPARE_IMPORT`, does so after the last test of a file that starts a service itself. The file calls it behind its own `afterAll`,
 * which closes the service: such hooks run in reverse order.
 */
export function compareImportAfterAll(service: () => Service): void {
  if (COMPARED) afterAll(() => expectWholeImport(service()));
}

/** Files of stories whose import is always compared: people make most kinds of objects in them, and it takes some seconds. */
const ALWAYS = ['people', 'ship'];

/** The file of tests that runs, such as `ship`. */
const suiteOf = (): string => basename(expect.getState().testPath ?? '').replace(/\.test\.ts$/, '');

/** Whether what this file left is to be imported and compared. */
export const isImportCompared = (): boolean => COMPARED !== '' || ALWAYS.includes(suiteOf());

/** Requires that an import of what a file of tests left has everything. */
export async function expectWholeImport(source: Service, env: Record<string, string> = {}): Promise<void> {
  const suite = suiteOf();
  const compared = await compareImport(source, suite, env);
  if (COMPARED.includes('/')) {
    await mkdir(COMPARED, { recursive: true });
    await writeFile(join(COMPARED, `${suite}.json`), JSON.stringify(compared, null, 1));
  }
  expect(compared.differences, `the import of what ${suite} left`).toEqual([]);
}

interface Person {
  uuid: string;
  distinct_ids: string[];
}

async function personsOf(service: Service, project: string): Promise<Person[]> {
  const found: Person[] = [];
  for (let next: string | null = `${project}/persons/?limit=500`; next !== null; ) {
    const { status, body } = await service.get(next);
    expect(status).toBe(200);
    const page = body as { results: Person[]; next: string | null };
    found.push(...page.results);
    next = page.next?.slice(new URL(page.next).origin.length) ?? null;
  }
  return found;
}

/** Deletes persons of a copy whom the source has not. @returns how many */
async function deleteReturned(known: readonly Person[], copy: Service, project: string): Promise<number> {
  const ids = new Set(known.flatMap(({ distinct_ids }) => distinct_ids));
  const returned = (await personsOf(copy, project)).filter(({ distinct_ids }) => !distinct_ids.some((id) => ids.has(id)));
  for (const { uuid } of returned) expect((await copy.call('DELETE', `${project}/persons/${uuid}/`)).status).toBeLessThan(300);
  return returned.length;
}

async function projectsOf(service: Service): Promise<{ id: number; name: string }[]> {
  const { status, body } = await service.get('/api/projects/?limit=500');
  expect(status).toBe(200);
  return (body as { results: { id: number; name: string }[] }).results;
}

async function makeProject(service: Service, name: string): Promise<number> {
  const { status, body } = await service.post('/api/projects/', { name });
  expect([status, body]).toEqual([201, expect.anything()]);
  return (body as { id: number }).id;
}
