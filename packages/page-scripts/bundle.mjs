// Bundles the scripts that the service has below `/static/`.
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundleLibrary } from './library.mjs';

const path = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

/** The folder from which the service serves the scripts. */
export const STATIC = path('../server/dist/static');

/** @type {import('esbuild').BuildOptions} */
const COMMON = { bundle: true, format: 'esm', minify: true, legalComments: 'none', logLevel: 'error' };

/**
 * Writes all scripts, in place of those of the last build: the browser library for pages without a bundler, the scripts of the service's
 * own pages, and the player of recordings. The packages that they consist of have to be compiled.
 */
export async function bundleScripts(folder = STATIC) {
  rmSync(folder, { recursive: true, force: true });
  await Promise.all([
    bundleLibrary(folder),
    build({
      ...COMMON,
      entryPoints: { charts: path('src/charts.ts'), reference: path('src/reference/reference.ts') },
      outdir: folder,
      // named after its content, so that browsers may cache it for ever
      entryNames: '[name]-[hash]',
      target: ['es2022', 'safari15.4', 'chrome100', 'firefox102'],
    }),
    build({
      ...COMMON,
      entryPoints: [path('../player/src/player.ts')],
      outdir: folder,
      target: 'es2022',
      loader: { '.css': 'text' },
    }),
  ]);
}
