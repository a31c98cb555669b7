import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const dist = join(import.meta.dirname, '../dist');

test.each(['index', 'slim', 'testing'])('%s is a client module for Next.js, with a named export for each name', async (entry) => {
  const text = await readFile(join(dist, `${entry}.js`), 'utf8');
  expect(text).toMatch(/^'use client';\n/);
  // a boundary cannot pass on what it does not name
  expect(text).not.toContain('export *');
});

test('the slim entry does not import the browser client, the full one does', async () => {
  expect(await packagesOf('slim.js')).not.toContain('@tidemark/browser');
  expect(await packagesOf('index.js')).toContain('@tidemark/browser');
});

/** What a built file imports at run time, over all files of this package that it imports. */
async function packagesOf(file: string, seen = new Set<string>()): Promise<string[]> {
  if (seen.has(file)) return [];
  seen.add(file);
  const text = await readFile(join(dist, file), 'utf8');
  const names = [...text.matchAll(/^(?:import|export) .*?['"]([^'"]+)['"];$/gms)].map(([, name = '']) => name);
  const inner = await Promise.all(names.filter((name) => name.startsWith('./')).map((name) => packagesOf(name.slice(2), seen)));
  return [...new Set([...names.filter((name) => !name.startsWith('.')), ...inner.flat()])];
}

test('the slim entry has the exports of the full one', async () => {
  const [slim, full] = await Promise.all(
    ['slim.js', 'index.js'].map(async (file) => Object.keys(await import(join(dist, file)))),
  );
  expect(slim?.sort()).toEqual(full?.sort());
});
