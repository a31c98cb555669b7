// Bundles the player of recordings with its styles: the module for applications.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const path = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

/** Writes the module into `dist`. */
export async function bundlePlayer() {
  await build({
    entryPoints: [path('src/index.ts')],
    outdir: path('dist'),
    bundle: true,
    format: 'esm',
    minify: true,
    target: 'es2022',
    loader: { '.css': 'text' },
    legalComments: 'none',
    logLevel: 'error',
  });
}
