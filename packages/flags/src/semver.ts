import { textOf } from './value.js';

/** Major, minor, patch, 1 (0 before a release), and the parts of what comes before a release. */
export type Version = readonly (number | string)[];

/** The versions from `low` up to, not including, `high` (null: without end). */
export interface VersionRange {
  readonly low: Version;
  readonly high: Version | null;
}

const VERSION = /^(\d{1,15})(?:\.(\d{1,15}))?(?:\.(\d{1,15}))?(?:-([\da-z-]+(?:\.[\da-z-]+)*))?(?:\+[\da-z.-]+)?$/i;

/** Reads `v1.2`, `1.2.3-beta.1+build` and the like: short ones are filled with zeros, what builds add says nothing. */
export function parseVersion(value: unknown): Version | undefined {
  const parts = VERSION.exec(bare(value));
  if (!parts) return undefined;
  const [, major, minor, patch, pre] = parts;
  const before = pre?.split('.').map((part) => (/^\d{1,15}$/.test(part) ? Number(part) : part)) ?? [];
  return [Number(major), Number(minor ?? 0), Number(patch ?? 0), pre ? 0 : 1, ...before];
}

const bare = (value: unknown) => textOf(value).trim().replace(/^v/i, '');

/** Reads the version of a filter, which may have the sign of a range before it. */
export const parseBound = (value: unknown): Version | undefined => parseVersion(textOf(value).replace(/^\s*[~^=]/, ''));

/** The version as it is read again. */
export const versionText = ([major, minor, patch, released, ...before]: Version): string =>
  `${major}.${minor}.${patch}${released ? '' : `-${before.join('.')}`}`;

/** Below zero: a comes before b. Numbers come before words, and less before more. */
export function compareVersions(a: Version, b: Version): number {
  for (let i = 0; ; i++) {
    const [left, right] = [a[i], b[i]];
    if (left === undefined || right === undefined) return a.length - b.length;
    if (left === right) continue;
    return (typeof left === typeof right ? left < right : typeof left === 'number') ? -1 : 1;
  }
}

/** The range of `tilde` 1.2.3, `caret` 1.2.3 or `wildcard` 1.2.*; undefined when that is none. */
export function parseRange(name: string, value: unknown): VersionRange | undefined {
  if (name !== 'wildcard') {
    const low = parseBound(value);
    return low && upTo(low, name === 'tilde' ? 2 : low[0] ? 1 : low[1] ? 2 : 3);
  }
  // 1.2.* and 1.2.x.x fix as many parts as they name
  const stars = /^(?:(.+?)\.)?[*x](\.[*x])*$/i.exec(bare(value));
  const low = parseVersion(stars ? (stars[1] ?? 0) : value);
  return low && upTo(low, stars ? (stars[1]?.split('.').length ?? 0) : 3);
}

/** From a version on, as long as so many of its parts are the same. */
function upTo(low: Version, parts: number): VersionRange {
  const high = low.slice(0, 3).map((part, i) => (i < parts ? Number(part) + Number(i === parts - 1) : 0));
  return { low, high: parts ? [...high, 1] : null };
}
