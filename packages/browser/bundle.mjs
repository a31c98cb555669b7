// Bundles the browser library for pages without a bundler: tidemark.js, and a chunk for each part that it imports when asked to.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ENTRY = fileURLToPath(new URL('dist/snippet/script.js', import.meta.url));
const OUT = fileURLToPath(new URL('../server/dist/static', import.meta.url));
// a script that is no module; browsers do not resolve what one of another origin imports, so it says itself where it is from. The comment
// has browsers compile its functions while it is loaded instead of one by one when they are called first
const BESIDES = {
  banner: { js: '//# allFunctionsCalledOnLoad\n(()=>{"use strict";const tidemarkAt=document.currentScript?.src||location.href;' },
  footer: { js: '})();' },
};
/** @type {import('esbuild').BuildOptions} */
const COMMON = {
  bundle: true,
  format: 'esm',
  minify: true,
  // the oldest browsers that docs/guide/html.md names
  target: ['es2022', 'safari15.4', 'chrome100', 'firefox102'],
  legalComments: 'none',
  outdir: OUT,
  write: false,
  logLevel: 'silent',
};

/** Writes the files that the service has below `/static/`, in place of those of the last build. */
export async function bundleBrowserScript() {
  /** @type {Map<string, Promise<{ name: string, bytes: Uint8Array }>>} by source */
  const chunks = new Map();
  /** @type {import('esbuild').Plugin} */
  const apart = {
    name: 'chunks',
    setup({ onResolve }) {
      onResolve({ filter: /^\./ }, async ({ kind, path, resolveDir }) => {
        if (kind !== 'dynamic-import') return undefined;
        const source = join(resolveDir, path);
        // Named after its content, so that browsers may keep it for ever. A script of an earlier build gets this build's chunk when it asks
        // for its own: a change that breaks scripts of earlier builds needs a new file name
        const chunk = chunks.get(source) ?? bundle(source, { entryNames: 'tidemark-[name]-[hash]', plugins: [apart] });
        chunks.set(source, chunk);
        return { path: `./${(await chunk).name}`, external: true };
      });
    },
  };
  const script = await bundle(ENTRY, { entryNames: 'tidemark', plugins: [apart], ...BESIDES });
  const text = Buffer.from(script.bytes).toString();
  script.bytes = Buffer.from(text.replace(/import\(("\.\/tidemark-[^"]+")\)/g, 'import(new URL($1,tidemarkAt))'));
  const files = [script, ...(await Promise.all(chunks.values()))];
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(OUT, { recursive: true });
  for (const { name, bytes } of files) writeFileSync(join(OUT, name), bytes);
}

/** @param {string} source @param {import('esbuild').BuildOptions} more */
async function bundle(source, more) {
  const { outputFiles } = await build({ ...COMMON, entryPoints: [source], ...more });
  const file = outputFiles?.[0];
  if (!file) throw new Error(`esbuild made nothing of ${source}`);
  return { name: basename(file.path), bytes: file.contents };
}
