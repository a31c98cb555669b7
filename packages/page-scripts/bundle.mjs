// Bundles the scripts of the service's pages, each named after its content, so that browsers may cache it for ever.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const path = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

/** Writes the scripts among the files that the service has below `/static/`. */
export async function bundlePageScripts() {
  await build({
    entryPoints: { charts: path('src/charts.ts'), reference: path('src/reference/reference.ts') },
    outdir: path('../server/dist/static'),
    entryNames: '[name]-[hash]',
    bundle: true,
    format: 'esm',
    minify: true,
    target: ['es2022', 'safari15.4', 'chrome100', 'firefox102'],
    legalComments: 'none',
    logLevel: 'error',
  });
}
