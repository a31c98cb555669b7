import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

test('the evaluator is below 6.5 KB and imports nothing', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL('./index.ts', import.meta.url))],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
    metafile: true,
  });
  const imports = Object.values(metafile.inputs).flatMap(({ imports }) => imports.filter(({ external }) => external));
  expect(imports).toEqual([]);
  expect(gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length).toBeLessThan(6.5 * 1024);
});
