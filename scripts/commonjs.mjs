// The CommonJS builds of the client libraries, beside the ES modules that `tsc -b` makes: Jest, older TypeScript resolutions and Express
// applications without ES modules load these.
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './run.mjs';

/** The packages that applications load with `require`, and what those load. */
const PACKAGES = ['wire', 'flags', 'client', 'browser', 'react', 'node'];

/** Writes `dist/cjs` of each package: its JavaScript as CommonJS, and the declarations of `dist`, which must be there. */
export async function buildCommonJs() {
  // imported late: there is no esbuild before the packages are installed
  const { build } = await import('esbuild');
  await Promise.all(PACKAGES.map((name) => buildOne(build, join(root, 'packages', name))));
}

/** @param {import('esbuild').build} build @param {string} folder of a package */
async function buildOne(build, folder) {
  const [dist, out] = [join(folder, 'dist'), join(folder, 'dist/cjs')];
  rmSync(out, { recursive: true, force: true });
  const declarations = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.d.ts'));
  // each module of the ES build has a declaration: tests and scripts for pages have none
  const entryPoints = declarations.map((path) => join(dist, path.replace(/\.d\.ts$/, '.js')));
  await build({
    entryPoints,
    outbase: dist,
    outdir: out,
    format: 'cjs',
    platform: 'node',
    target: 'es2022',
    // a dynamic import would need the ES module loader, which Jest does not have
    supported: { 'dynamic-import': false },
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'error',
  });
  for (const path of declarations) {
    mkdirSync(dirname(join(out, path)), { recursive: true });
    copyFileSync(join(dist, path), join(out, path));
  }
  writeFileSync(join(out, 'package.json'), '{ "type": "commonjs" }\n');
}
