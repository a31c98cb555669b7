// The bill of materials: every library that runs in the service or is part of what it serves, in CycloneDX. `npm sbom` leaves libraries of
// workspaces out when another workspace has them for development.
import { createHash } from 'node:crypto';
import { readManifest } from '../run.mjs';
import { lockFileOf } from './lock-file.mjs';

/** Workspaces whose libraries run in the service, or in the pages that it serves. */
const PARTS = ['server', 'browser', 'player', 'page-scripts', 'web'];
/** These are built and stored: what they consist of is among their development packages. */
const STORED = ['player', 'page-scripts', 'web'];

/** @typedef {{ version: string, license?: string, integrity?: string, optional?: boolean }} Entry of a lock file */

/** @param {string} version @returns {object} the document */
export function billOfMaterials(version) {
  /** @type {Map<string, object>} */
  const components = new Map();
  for (const part of PARTS) {
    const manifest = { name: 'tidemark', version, ...foreign(readManifest(`packages/${part}`), STORED.includes(part)) };
    for (const [path, entry] of Object.entries(lockFileOf(manifest, `packages/${part}`).packages)) {
      if (path === '') continue;
      const component = componentOf(path.split('node_modules/').at(-1) ?? '', /** @type {Entry} */ (entry));
      if (!components.has(component.purl)) components.set(component.purl, component);
    }
  }
  const sorted = [...components].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, component]) => component);
  const root = { type: 'application', 'bom-ref': `pkg:npm/tidemark@${version}`, name: 'tidemark', version };
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(sorted))}`,
    version: 1,
    metadata: { component: { ...root, licenses: [{ license: { id: 'Apache-2.0' } }], purl: root['bom-ref'] } },
    components: sorted,
  };
}

/** @param {string} name @param {Entry} entry */
function componentOf(name, { version, license, integrity, optional }) {
  const [group, rest] = name.startsWith('@') ? name.split('/') : [null, name];
  const purl = `pkg:npm/${group ? `${group.replace('@', '%40')}/` : ''}${rest}@${version}`;
  const [, sha512] = /^sha512-([A-Za-z0-9+/=]+)/.exec(integrity ?? '') ?? [];
  return {
    type: 'library',
    'bom-ref': purl,
    ...(group ? { group } : {}),
    name: rest,
    version,
    scope: optional ? 'optional' : 'required',
    ...(sha512 ? { hashes: [{ alg: 'SHA-512', content: Buffer.from(sha512, 'base64').toString('hex') }] } : {}),
    ...(license ? { licenses: [{ expression: license }] } : {}),
    purl,
  };
}

/** @param {Record<string, any>} manifest @param {boolean} dev with development packages */
function foreign({ dependencies = {}, devDependencies = {}, optionalDependencies = {} }, dev) {
  const ofOthers = Object.entries({ ...dependencies, ...(dev ? devDependencies : {}) }).filter(
    ([name]) => !name.startsWith('@tidemark/'),
  );
  return { dependencies: Object.fromEntries(ofOthers), optionalDependencies };
}

/** A UUID (version 8) of a text: the same release has the same serial number. @param {string} text */
function uuidOf(text) {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
