// npm run bench -- import-stories [FILTER…]: runs the files of stories and of foreign SDKs, imports what each left in its service into a fresh one by
// `tidemark import posthog`, and compares every object and every event.
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ComparedImport } from '../../e2e/src/testing/compare-import.js';

/** Files besides the stories whose services are compared: those to which SDKs send. */
const OF_SDKS = [
  'browser-autocapture',
  'browser-client',
  'flags-node',
  'node-sdk',
  'posthog-js',
  'posthog-node',
  'posthog-snippet',
  'segment',
  'surveys',
  'surveys-widget',
];

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const filters = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
const folder = await mkdtemp(join(tmpdir(), 'tidemark-import-stories-'));
try {
  const files = filters.length > 0 ? filters : ['e2e/src/web/', ...OF_SDKS.map((name) => `e2e/src/${name}.test.ts`)];
  const child = spawn('npx', ['vitest', 'run', '--project', 'stories', '--project', 'e2e', ...files], {
    cwd: ROOT,
    env: { ...process.env, TIDEMARK_COMPARE_IMPORT: folder },
    stdio: 'inherit',
  });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  const names = (await readdir(folder)).sort();
  const all = await Promise.all(
    names.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8')) as ComparedImport),
  );
  for (const line of tableOf(all)) console.log(line);
  process.exitCode = code === 0 && all.length > 0 && all.every(({ differences }) => differences.length === 0) ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** A row for each file, the sums, then what differs and what the imports reported. */
function tableOf(all: readonly ComparedImport[]): string[] {
  const sum = (of: (one: ComparedImport) => number) => all.reduce((total, one) => total + of(one), 0);
  const objects = (one: ComparedImport) => Object.values(one.objects).reduce((total, count) => total + count, 0);
  const row = (...cells: (string | number)[]) =>
    cells.map((cell, at) => (at === 0 ? String(cell).padEnd(22) : cell.toLocaleString('en').padStart(12))).join('');
  const kinds = [...new Set(all.flatMap((one) => Object.keys(one.objects)))];
  return [
    '',
    row('suite', 'projects', 'objects', 'persons', 'events', 'differences', 'seconds'),
    ...all.map((one) =>
      row(
        one.suite,
        one.projects,
        objects(one),
        one.objects['persons'] ?? 0,
        one.events,
        one.differences.length,
        Math.round(one.seconds),
      ),
    ),
    row(
      'all',
      sum((one) => one.projects),
      sum(objects),
      sum((one) => one.objects['persons'] ?? 0),
      sum((one) => one.events),
      sum((one) => one.differences.length),
      Math.round(sum((one) => one.seconds)),
    ),
    '',
    `Objects by kind: ${kinds.map((kind) => `${kind} ${sum((one) => one.objects[kind] ?? 0).toLocaleString('en')}`).join(', ')}`,
    `Persons who were deleted without their events and came back by them: ${sum((one) => one.returned)}`,
    `Objects that imports left out, and named in their reports: ${sum((one) => one.left)}`,
    ...all.flatMap((one) => one.differences.map((line) => `${one.suite}: ${line}`)),
    ...new Set(all.flatMap((one) => one.reported.map((line) => `reported by the import of ${one.suite}: ${line}`))),
  ];
}
