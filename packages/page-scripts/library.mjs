// Bundles the browser library for pages without a bundler: tidemark.js, and a chunk for each part that it imports later.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { minify } from 'terser';

const ENTRY = fileURLToPath(new URL('../browser/dist/snippet/script.js', import.meta.url));
/** Shows a survey in the editor of the service's app. */
const PREVIEW = fileURLToPath(new URL('../browser/dist/surveys/preview.js', import.meta.url));
/** The hint has browsers compile the functions while the script loads, instead of one by one at their first call. */
const COMPILE_HINT = '//# allFunctionsCalledOnLoad\n';
/** @type {import('esbuild').BuildOptions} */
const COMMON = {
  bundle: true,
  format: 'esm',
  minify: true,
  // the oldest browsers that docs/guide/html.md names
  target: ['es2022', 'safari15.4', 'chrome100', 'firefox102'],
  legalComments: 'none',
  write: false,
  logLevel: 'silent',
};

/** Writes the browser library into a folder. @param {string} folder */
export async function bundleLibrary(folder) {
  /** @type {Map<string, Promise<{ name: string, text: string }>>} by source */
  const chunks = new Map();
  /** @type {import('esbuild').Plugin} */
  const apart = {
    name: 'chunks',
    setup({ onResolve }) {
      onResolve({ filter: /^\./ }, async ({ kind, path, resolveDir }) => {
        if (kind !== 'dynamic-import') return undefined;
        const source = join(resolveDir, path);
        const chunk = chunks.get(source) ?? bundleChunk(source, apart);
        chunks.set(source, chunk);
        return { path: `./${(await chunk).name}`, external: true };
      });
    },
  };
  const preview = { name: 'survey-preview.js', text: await bundle(PREVIEW, apart) };
  const files = [await bundleScript(apart), preview, ...(await Promise.all(chunks.values()))];
  mkdirSync(folder, { recursive: true });
  for (const { name, text } of files) writeFileSync(join(folder, name), text);
}

/**
 * The script that pages load: not a module, so that it runs at once and also from another origin. Imports of such a script are resolved
 * against the page, so each names the script's own address.
 * @param {import('esbuild').Plugin} apart
 */
async function bundleScript(apart) {
  const bundled = await bundle(ENTRY, apart);
  const imports = bundled.replace(/import\(("\.\/tidemark-[^"]+")\)/g, 'import(new URL($1,scriptUrl))');
  const script = `(()=>{"use strict";const scriptUrl=document.currentScript?.src||location.href;${imports}})();`;
  return { name: 'tidemark.js', text: COMPILE_HINT + (await minified(script, { module: false, compress: true })) };
}

/**
 * A chunk is named after its content, so that browsers may cache it for ever. A script of an earlier build gets this build's chunk when it
 * requests its own: a change that breaks scripts of earlier builds needs a new file name.
 * @param {string} source @param {import('esbuild').Plugin} apart
 */
async function bundleChunk(source, apart) {
  const text = await minified(await bundle(source, apart), { module: true, compress: false });
  const hash = createHash('sha256').update(text).digest('base64url').replace(/[_-]/g, '').slice(0, 8).toUpperCase();
  return { name: `tidemark-${basename(source, '.js')}-${hash}.js`, text };
}

/** @param {string} source @param {import('esbuild').Plugin} apart @returns {Promise<string>} */
async function bundle(source, apart) {
  const { outputFiles } = await build({ ...COMMON, entryPoints: [source], plugins: [apart] });
  const file = outputFiles?.[0];
  if (!file) throw new Error(`esbuild made nothing of ${source}`);
  return file.text;
}

/**
 * Terser's names compress better than esbuild's, which makes files 3 % smaller over the wire. Its `compress` saves 2 % more, but costs two
 * seconds of a build for each file of this length, so only the script that every page loads gets it.
 * @param {string} text @param {{ module: boolean, compress: boolean }} options
 */
async function minified(text, options) {
  const { code } = await minify(text, { ...options, ecma: 2020 });
  if (!code) throw new Error('terser made nothing of a bundle');
  return code;
}
