// What package-lock.json says about which package needs which.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './run.mjs';

export const LOCK = join(root, 'package-lock.json');

/**
 * @typedef {{
 *   version?: string, license?: string, optional?: boolean, devOptional?: boolean, link?: boolean, resolved?: string,
 *   dependencies?: Record<string, string>, devDependencies?: Record<string, string>, optionalDependencies?: Record<string, string>,
 *   peerDependencies?: Record<string, string>, peerDependenciesMeta?: Record<string, { optional?: boolean }>,
 * }} Locked
 */

/** @returns {Record<string, Locked>} by folder */
export function locked() {
  return JSON.parse(readFileSync(LOCK, 'utf8')).packages;
}

/** @returns {string[]} folders of all packages but optional ones, which depend on the machine */
export function packagesOfLock() {
  const packages = Object.entries(locked());
  return packages
    .filter(([path, { optional, devOptional }]) => path.startsWith('node_modules/') && !optional && !devOptional)
    .map(([path]) => path);
}

/**
 * What packages depend on, directly or not, but optional packages.
 * @param {string[]} folders such as `packages/web`; empty: the root
 * @param {{ dev?: boolean }} [options] dev: with the development packages of these folders
 * @returns {{ path: string, version: string }[]} a workspace twice: as the link in node_modules, and as its folder
 */
export function packagesBelow(folders, { dev = false } = {}) {
  const packages = locked();
  /** @type {Set<string>} */
  const found = new Set();
  const open = [...folders];
  for (let from = open.pop(); from !== undefined; from = open.pop()) {
    const { dependencies, devDependencies } = packages[from] ?? {};
    for (const name of Object.keys({ ...dependencies, ...(dev && folders.includes(from) ? devDependencies : {}) })) {
      const path = resolveLocked(from, name, packages);
      const entry = path && packages[path];
      if (!entry || found.has(path)) continue;
      found.add(path);
      if (entry.link && entry.resolved) found.add(entry.resolved);
      open.push(entry.link ? (entry.resolved ?? path) : path);
    }
  }
  return [...found].sort().map((path) => ({ path, version: packages[path]?.version ?? '' }));
}

/** @param {string} from @param {string} name @param {object} packages @returns {string | undefined} the folder that Node.js would find */
export function resolveLocked(from, name, packages) {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name);
    if (path in packages) return path;
    if (folder === '.' || folder === '') return undefined;
  }
}
