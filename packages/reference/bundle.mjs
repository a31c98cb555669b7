// Bundles the script of the API reference.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const path = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

/** Writes the script among the files that the service has below `/static/`. */
export async function bundleReference() {
  await build({
    entryPoints: [path('src/reference.ts')],
    outdir: path('../server/dist/static'),
    bundle: true,
    format: 'esm',
    minify: true,
    target: 'es2022',
    legalComments: 'none',
    logLevel: 'error',
  });
}
