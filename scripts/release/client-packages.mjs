// The tarballs of the client libraries, and what a registry says about them.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail, PUBLISHED, root, run } from '../run.mjs';

/** Fields of package.json that a registry repeats, because installers decide by them before they fetch the tarball. */
const FIELDS = [
  'name',
  'version',
  'description',
  'license',
  'homepage',
  'type',
  'bin',
  'engines',
  'dependencies',
  'peerDependencies',
  'peerDependenciesMeta',
];

/**
 * Packs the client libraries, which must be built, into a folder, with an `index.json` for the service, which serves them.
 * @param {string} folder
 * @returns {Promise<string[]>} names of the tarballs
 */
export async function packClients(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const paths = PUBLISHED.map((name) => join(root, 'packages', name));
  const result = await run('npm', ['pack', ...paths, '--pack-destination', folder, '--json', '--loglevel=error'], {
    quiet: true,
  });
  if (result.code !== 0) fail('npm pack', result);
  /** @type {{ filename: string }[]} */
  const packed = JSON.parse(result.output.slice(result.output.indexOf('[\n')));
  const index = packed.map(({ filename }, at) => {
    const content = readFileSync(join(folder, filename));
    const manifest = JSON.parse(readFileSync(join(paths[at] ?? '', 'package.json'), 'utf8'));
    return {
      ...Object.fromEntries(FIELDS.filter((field) => field in manifest).map((field) => [field, manifest[field]])),
      dist: {
        tarball: filename,
        integrity: `sha512-${createHash('sha512').update(content).digest('base64')}`,
        shasum: createHash('sha1').update(content).digest('hex'),
      },
    };
  });
  writeFileSync(join(folder, 'index.json'), JSON.stringify(index));
  return packed.map(({ filename }) => filename);
}
