import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

/** Bytes of what an application ships that imports these. */
async function shipped(names: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: `export { ${names} } from './index.js'`, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  });
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length;
}

describe('size of the bundle', () => {
  it.each([
    ['createClient', 8.75],
    ['createClient, flags', 12],
  ])('%s: at most %f KB', async (names, kilobytes) => {
    expect(await shipped(names)).toBeLessThanOrEqual(kilobytes * 1024);
  });
});
