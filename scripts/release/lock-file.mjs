// package-lock.json of a project with dependencies of a workspace: it installs the versions of the repository's own lock file, on which the
// tests have run, and npm looks no versions up.
import { locked, resolveLocked } from '../locked-packages.mjs';

/** @typedef {import('../locked-packages.mjs').Locked} Locked */
/** @typedef {{ name: string, version: string, dependencies: Record<string, string>, optionalDependencies?: Record<string, string> }} Manifest */
/** @typedef {{ old: string, path: string, optional: boolean }} Placed old: its path in package-lock.json; path: in the new file */

/** Fields of a lock entry that say something about the repository only. */
const OURS = ['dev', 'devOptional', 'peer', 'optional'];

/**
 * The lock file of a project.
 * @param {Manifest} manifest of the project, with dependencies that the workspace has, too
 * @param {string} workspace such as `packages/server`
 */
export function lockFileOf(manifest, workspace) {
  const { name, version } = manifest;
  return { name, version, lockfileVersion: 3, requires: true, packages: { '': manifest, ...installed(manifest, workspace) } };
}

/**
 * The lock file of a project that has the tarball of the package beside it as its only dependency.
 * @param {Manifest} manifest of the package @param {string} workspace @param {string} tarball its file name
 */
export function lockFileOfTarball(manifest, workspace, tarball) {
  const { name } = manifest;
  const own = { resolved: `file:${tarball}`, ...manifest };
  const project = { name: `${name}-service`, private: true, dependencies: { [name]: `file:${tarball}` } };
  const packages = { '': project, [`node_modules/${name}`]: own, ...installed(manifest, workspace) };
  return { project, lock: { name: project.name, lockfileVersion: 3, requires: true, packages } };
}

/** @param {Manifest} manifest @param {string} workspace @returns {Record<string, object>} entries by folder */
function installed(manifest, workspace) {
  const packages = locked();
  /** @type {Map<string, Placed>} */
  const placed = new Map();
  /** @type {Placed[]} */
  const open = [{ old: workspace, path: '', optional: false }];
  for (const parent of open) {
    const needs = parent.path === '' ? manifest : (packages[parent.old] ?? {});
    for (const { name, optional } of dependenciesOf(needs)) {
      const old = resolveLocked(parent.old, name, packages);
      if (old === undefined) {
        if (optional) continue;
        throw new Error(`${parent.old} needs ${name}, which package-lock.json does not have`);
      }
      const child = place(placed, { old, name, optional: optional || parent.optional }, parent.path);
      if (child) open.push(child);
    }
  }
  const sorted = [...placed.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  return Object.fromEntries(sorted.map((one) => [one.path, entryOf(one, packages)]));
}

/**
 * Places a package at the top, or below its parent if another version is there.
 * @param {Map<string, Placed>} placed @param {{ old: string, name: string, optional: boolean }} wanted @param {string} parent
 * @returns {Placed | null} what has to be followed; null: it was there, and so were its dependencies
 */
function place(placed, { old, name, optional }, parent) {
  const visible = foldersAbove(parent)
    .map((folder) => placed.get(join(folder, name)))
    .find((one) => one !== undefined);
  if (visible?.old === old) {
    if (optional || !visible.optional) return null;
    // so far only optional packages needed it: what it needs itself is required now, too
    visible.optional = false;
    return visible;
  }
  const child = { old, path: join(visible ? parent : '', name), optional };
  placed.set(child.path, child);
  return child;
}

/** @param {string} folder @param {string} name */
const join = (folder, name) => `${folder ? `${folder}/` : ''}node_modules/${name}`;

/** @param {string} path @returns {string[]} the package itself, the one that it lies in, and so on to the top */
function foldersAbove(path) {
  if (path === '') return [''];
  const at = path.lastIndexOf('/node_modules/');
  return [path, ...foldersAbove(at < 0 ? '' : path.slice(0, at))];
}

/** @param {Partial<Locked>} entry */
function dependenciesOf({ dependencies = {}, optionalDependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} }) {
  const required = { ...dependencies, ...peerDependencies };
  const names = new Set([...Object.keys(required), ...Object.keys(optionalDependencies)]);
  return [...names]
    .filter((name) => name in dependencies || name in optionalDependencies || !peerDependenciesMeta[name]?.optional)
    .map((name) => ({ name, optional: name in optionalDependencies }));
}

/** @param {Placed} placed @param {Record<string, Locked>} packages */
function entryOf({ old, optional }, packages) {
  const entry = Object.entries(packages[old] ?? {}).filter(([key]) => !OURS.includes(key));
  return { ...Object.fromEntries(entry), ...(optional ? { optional } : {}) };
}
