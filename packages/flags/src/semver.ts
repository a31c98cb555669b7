import { textOf } from './value.js';

/** Major, minor, patch, and the parts of what follows a dash. */
export interface Version {
  readonly core: readonly [number, number, number];
  readonly pre: readonly string[];
}

const VERSION = /^(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([\da-z-]+(?:\.[\da-z-]+)*))?(?:\+[\da-z.-]+)?$/i;

/** Reads `v1.2`, `1.2.3-beta.1+build` and the like: short ones are filled with zeros, what builds add says nothing. */
export function parseVersion(value: unknown): Version | undefined {
  const parts = VERSION.exec(bare(value));
  if (!parts) return undefined;
  return { core: [Number(parts[1]), Number(parts[2] ?? 0), Number(parts[3] ?? 0)], pre: parts[4]?.split('.') ?? [] };
}

const bare = (value: unknown) => textOf(value).trim().replace(/^v/i, '');

/** Below zero: a comes before b. */
export function compareVersions(a: Version, b: Version): number {
  for (let i = 0; i < 3; i++) {
    const difference = (a.core[i] ?? 0) - (b.core[i] ?? 0);
    if (difference) return difference;
  }
  if (!a.pre.length || !b.pre.length) return b.pre.length - a.pre.length;
  for (let i = 0; ; i++) {
    const [left, right] = [a.pre[i], b.pre[i]];
    if (left === undefined || right === undefined) return left === right ? 0 : left === undefined ? -1 : 1;
    if (left === right) continue;
    const [m, n] = [left, right].map((part) => (/^\d+$/.test(part) ? Number(part) : Number.NaN)) as [number, number];
    if (m === n) continue;
    if (m < n || n < m) return m - n;
    // numbers come before words
    return Number.isNaN(m) === Number.isNaN(n) ? (left < right ? -1 : 1) : Number.isNaN(m) ? 1 : -1;
  }
}

/** Whether the version lies in `~1.2.3`, `^1.2.3` or `1.2.*`; undefined when that is no range. */
export function parseRange(operator: string, value: unknown): ((version: Version) => boolean) | undefined {
  const wildcard = operator === 'semver_wildcard';
  // 1.2.* and 1.2.x.x are 1.2 and fix as many parts as they name
  const text = wildcard ? bare(value).replace(/(^|\.)[*x](\.[*x])*$/i, '') : value;
  if (wildcard && text === '' && bare(value)) return (version) => !version.pre.length;
  const from = parseVersion(text);
  if (!from || (wildcard && from.pre.length)) return undefined;
  const [major, minor, patch] = from.core;
  const fixed = wildcard ? String(text).split('.').length : operator === 'semver_tilde' ? 2 : major ? 1 : minor ? 2 : 3;
  const core = [major, minor, patch].map((part, i) => (i < fixed - 1 ? part : i === fixed - 1 ? part + 1 : 0));
  const until: Version = { core: core as [number, number, number], pre: [] };
  return (version) =>
    compareVersions(version, from) >= 0 &&
    compareVersions(version, until) < 0 &&
    // somebody on a preview of another version did not ask for this one
    (!version.pre.length || (from.pre.length > 0 && String(version.core) === String(from.core)));
}
