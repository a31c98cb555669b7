import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readInsight } from '@tidemark/charts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DashboardSnapshot, DrawnFile } from './drawing.js';
import { createRenderer, type Renderer } from './renderer.js';

let home: string;
const open: Renderer[] = [];
const rendererFor = (idleMs?: number): Renderer => {
  const renderer = createRenderer({ fontFolder: null, home }, idleMs);
  open.push(renderer);
  return renderer;
};
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tidemark-renderer-'));
});
afterAll(async () => {
  await Promise.all(open.map((renderer) => renderer.close()));
  await rm(home, { recursive: true });
});

const PNG = Buffer.from('89504e47', 'hex');
const isPng = ({ bytes }: DrawnFile) => Buffer.from(bytes.subarray(0, 4)).equals(PNG);

/** A dashboard of this many text tiles: the more tiles, the longer it takes to draw. */
const boardOf = (tiles: number): DashboardSnapshot => ({
  title: `${tiles} tiles`,
  note: '',
  theme: 'light',
  tiles: Array.from({ length: tiles }, (_, index) => ({
    title: `Tile ${index}`,
    note: '',
    place: null,
    content: { kind: 'text', body: 'Some words\n\n'.repeat(20) },
  })),
});

test('a cancelled drawing rejects alone: those queued behind it and those that start right after it are drawn', async () => {
  const renderer = rendererFor();
  // both threads are there and busy
  await renderer.png(boardOf(1));
  const cancelled = [new AbortController(), new AbortController()];
  const first = cancelled.map(({ signal }) => renderer.png(boardOf(300), signal));
  const settledFirst = Promise.allSettled(first);
  const queued = renderer.png(boardOf(2));
  await delay(30);
  for (const controller of cancelled) controller.abort();
  const right = renderer.png(boardOf(3));
  expect((await settledFirst).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(first[0]).rejects.toMatchObject({ name: 'AbortError' });
  expect(isPng(await queued)).toBe(true);
  expect(isPng(await right)).toBe(true);
});

test('drawings queued behind cancelled ones are drawn, though no other is requested', async () => {
  const renderer = rendererFor();
  await Promise.all([renderer.png(boardOf(1)), renderer.png(boardOf(1))]);
  const cancelled = [new AbortController(), new AbortController()];
  const first = Promise.allSettled(cancelled.map(({ signal }) => renderer.png(boardOf(300), signal)));
  const queued = Promise.all([renderer.png(boardOf(2)), renderer.png(boardOf(1)), renderer.png(boardOf(2))]);
  await delay(30);
  for (const controller of cancelled) controller.abort();
  expect((await first).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect((await queued).every(isPng)).toBe(true);
});

test('a folder that cannot be written, as on a full disk, fails pictures, and neither charts nor the process', async () => {
  const file = join(home, 'no-folder');
  await writeFile(file, '');
  const renderer = createRenderer({ fontFolder: null, home: join(file, 'fonts') });
  open.push(renderer);
  await expect(renderer.png(boardOf(1))).rejects.toThrow('ENOTDIR');
  const query = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'x' }], trendsFilter: { display: 'BoldNumber' } };
  const insight = readInsight(query, { results: [{ label: 'x', aggregated_value: 41, data: [], days: [] }] });
  expect(await renderer.svg(insight, { width: 300, height: 200, theme: 'light' })).toContain('41');
  await expect(renderer.png(boardOf(1))).rejects.toThrow('ENOTDIR');
  await rm(file);
  expect(isPng(await renderer.png(boardOf(1)))).toBe(true);
});

test('a drawing whose signal was aborted before does not start', async () => {
  const renderer = rendererFor();
  await expect(renderer.png(boardOf(1), AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
});

test('a drawing queued while its idle thread is being stopped is drawn', async () => {
  const renderer = rendererFor(20);
  for (let offset = 0; offset < 8; offset += 1) {
    await renderer.png(boardOf(1));
    await delay(16 + offset);
    const drawings = await Promise.all([renderer.png(boardOf(1)), renderer.png(boardOf(2)), renderer.png(boardOf(1))]);
    expect(drawings.every(isPng)).toBe(true);
  }
});
