// Bundles the player of recordings with its styles: player.js for the pages that show one, and the module for applications.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const path = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

/** @type {import('esbuild').BuildOptions} */
const options = {
  bundle: true,
  format: 'esm',
  minify: true,
  target: 'es2022',
  loader: { '.css': 'text' },
  legalComments: 'none',
  logLevel: 'error',
};

/** Writes the page's script among the files that the service has below `/static/`, and the module into `dist`. */
export async function bundlePlayer() {
  await Promise.all([
    build({ ...options, entryPoints: [path('src/player.ts')], outdir: path('../server/dist/static') }),
    build({ ...options, entryPoints: [path('src/index.ts')], outdir: path('dist') }),
  ]);
}
