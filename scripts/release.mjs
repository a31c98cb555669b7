// `npm run release` writes what a release consists of into `release/`: the tarballs of all packages, lock file, licenses, bill of
// materials, the section of the changelog, and checksums. It publishes nothing.
// --draft: also with changes that wait in .changeset. --built: of the build that is there. --out FOLDER: another folder.
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { checkNode } from './node-version.mjs';

checkNode();
const { values } = parseArgs({ options: { draft: { type: 'boolean' }, built: { type: 'boolean' }, out: { type: 'string' } } });
const { fail, readManifest, root, run, writeJson } = await import('./run.mjs');
const { version } = readManifest('packages/server');
const waiting = readdirSync(join(root, '.changeset')).filter((name) => name.endsWith('.md') && name !== 'README.md');
if (waiting.length && !values.draft) {
  console.error(`${waiting.length} changes wait in .changeset: run npm run version first, or add --draft to try a release.`);
  process.exit(1);
}
const { install } = await import('./install.mjs');
const { buildAll, CLIENTS } = await import('./compile.mjs');
if (!values.built) {
  await install('1/3');
  await buildAll('2/3');
}
console.log('[3/3] Writing the release');

const out = resolve(values.out ?? join(root, 'release'));
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const stage = mkdtempSync(join(tmpdir(), 'tidemark-release-'));
try {
  const { assembleServerPackage } = await import('./release/server-package.mjs');
  const { billOfMaterials } = await import('./release/sbom.mjs');
  const { lockFileOfTarball } = await import('./release/lock-file.mjs');
  const manifest = await assembleServerPackage(stage, CLIENTS);
  const packed = await run('npm', ['pack', stage, '--pack-destination', out, '--loglevel=error'], { quiet: true });
  if (packed.code !== 0) fail('npm pack', packed);
  for (const name of readdirSync(CLIENTS)) if (name.endsWith('.tgz')) cpSync(join(CLIENTS, name), join(out, name));
  cpSync(join(stage, 'THIRD-PARTY-LICENSES.txt'), join(out, 'THIRD-PARTY-LICENSES.txt'));
  cpSync(join(root, 'NOTICE'), join(out, 'NOTICE'));
  const { project, lock } = lockFileOfTarball(manifest, 'packages/server', `tidemark-${version}.tgz`);
  writeJson(join(out, 'package.json'), project);
  writeJson(join(out, 'package-lock.json'), lock);
  writeJson(join(out, `tidemark-${version}.cdx.json`), billOfMaterials(version));
  writeFileSync(join(out, 'CHANGES.md'), changesOf(version));
} finally {
  rmSync(stage, { recursive: true, force: true });
}
const names = readdirSync(out).sort();
writeFileSync(join(out, 'SHA256SUMS'), names.map((name) => `${sha256(join(out, name))}  ${name}\n`).join(''));
console.log(`Version ${version}: ${names.length + 1} files in ${out}`);

/** The section of a version in CHANGELOG.md. @param {string} version @returns {string} */
function changesOf(version) {
  const sections = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^(?=## )/m);
  const section = sections.find((text) => text.startsWith(`## ${version} `));
  if (!section) throw new Error(`CHANGELOG.md has no section of version ${version}: npm run version writes it.`);
  return section;
}

/** @param {string} path */
function sha256(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
