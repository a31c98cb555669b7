// @vitest-environment happy-dom
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asModules, complaintsOf, complaintsOfProject } from './testing/complaints-of.js';

const root = join(import.meta.dirname, '../../..');

const pages = await Promise.all(
  ['react', 'nextjs', 'surveys', 'html'].map(async (name) => {
    const text = await readFile(join(root, `docs/guide/${name}.md`), 'utf8');
    const blocks = [...text.matchAll(/^```tsx?(?: (\S+))?\n(.*?)^```$/gms)].map(([, path, code = '']) => ({ path, code }));
    return { name, blocks };
  }),
);

describe.each(pages.filter(({ blocks }) => blocks.some(({ path }) => path)))('the page $name', ({ blocks }) => {
  test.each(blocks.filter(({ path }) => path))('the example $path is shown as the file has it', async ({ path = '', code }) => {
    expect(code).toBe(await readFile(join(root, path), 'utf8'));
  });
});

test('other examples of the pages compile, with any flag key without a registry', async () => {
  const others = pages.flatMap(({ blocks }) => blocks.filter(({ path }) => !path).map(({ code }) => code));
  expect(others.length).toBeGreaterThan(4);
  expect(await asModules(others, (paths) => complaintsOf(paths))).toEqual([]);
});

test('the code of the Vite example compiles', () => {
  expect(complaintsOfProject(join(root, 'examples/vite-react'))).toEqual([]);
});

test('the test on the page react passes', async () => {
  globalThis.IS_REACT_ACT_ENVIRONMENT = true;
  const code = pages[0]?.blocks.find((block) => block.code.includes('testCheckout'))?.code ?? '';
  const result = await asModules([code], async ([path = '']) => {
    const { testCheckout } = await import(/* @vite-ignore */ path);
    return testCheckout(document.createElement('div'));
  });
  expect(result).toEqual({ before: 'Continue', after: 'Buy now', events: ['Bought'] });
});
