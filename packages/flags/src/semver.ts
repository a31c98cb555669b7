import { textOf } from './value.js';

/** Major, minor, patch, 1 (0 before a release), and the parts of what comes before a release. */
export type Version = readonly (number | string)[];

const VERSION = /^(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([\da-z-]+(?:\.[\da-z-]+)*))?(?:\+[\da-z.-]+)?$/i;

/** Reads `v1.2`, `1.2.3-beta.1+build` and the like: short ones are filled with zeros, what builds add says nothing. */
export function parseVersion(value: unknown): Version | undefined {
  const parts = VERSION.exec(bare(value));
  if (!parts) return undefined;
  const [, major, minor, patch, pre] = parts;
  const before = pre?.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part)) ?? [];
  return [Number(major), Number(minor ?? 0), Number(patch ?? 0), pre ? 0 : 1, ...before];
}

const bare = (value: unknown) => textOf(value).trim().replace(/^v/i, '');

/** Below zero: a comes before b. Numbers come before words, and less before more. */
export function compareVersions(a: Version, b: Version): number {
  for (let i = 0; ; i++) {
    const [left, right] = [a[i], b[i]];
    if (left === undefined || right === undefined) return a.length - b.length;
    if (left === right) continue;
    return (typeof left === typeof right ? left < right : typeof left === 'number') ? -1 : 1;
  }
}

/** Whether the version lies in `tilde` 1.2.3, `caret` 1.2.3 or `wildcard` 1.2.*; undefined when that is no range. */
export function parseRange(name: string, value: unknown): ((version: Version) => boolean) | undefined {
  const wildcard = name === 'wildcard';
  // 1.2.* and 1.2.x.x are 1.2 and fix as many parts as they name
  const text = wildcard ? bare(value).replace(/(\.[*x])+$/i, '') : value;
  const from = parseVersion(text);
  if (!from || !/^(tilde|caret|wildcard)$/.test(name)) return undefined;
  const fixed = wildcard ? String(text).split('.').length : name === 'tilde' ? 2 : from[0] ? 1 : from[1] ? 2 : 3;
  const same = (version: Version, parts: number) => !version.slice(0, parts).some((part, i) => part !== from[i]);
  return (version) =>
    compareVersions(version, from) >= 0 &&
    same(version, fixed) &&
    // somebody on a preview of another version did not ask for this one
    (version[3] === 1 || (from[3] === 0 && same(version, 3)));
}
