// Bundles the player of recordings for the pages that show one: player.js, with its styles in it.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const path = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

/** Writes the player among the files that the service has below `/static/`. */
export async function bundlePlayer() {
  await build({
    entryPoints: [path('src/player.ts')],
    outdir: path('../server/dist/static'),
    bundle: true,
    format: 'esm',
    minify: true,
    target: 'es2022',
    loader: { '.css': 'text' },
    legalComments: 'none',
    logLevel: 'error',
  });
}
