import { textOf } from './value.js';

/** Major, minor, patch, 0 for a pre-release (else 1), and the identifiers of the pre-release. */
export type Version = readonly (number | string)[];

/** The versions from `low` (inclusive) to `high` (exclusive; null: unbounded). */
export interface VersionRange {
  readonly low: Version;
  readonly high: Version | null;
}

const VERSION = /^\s*[~^=]?v?(\d{1,15})(?:\.(\d{1,15}))?(?:\.(\d{1,15}))?(?:-([\da-z-]+(?:\.[\da-z-]+)*))?(?:\+[\da-z.-]+)?\s*$/i;

/** Reads `v1.2`, `~1.2.3-beta.1+build` and the like. Missing parts are 0, and build metadata is ignored. */
export function parseVersion(value: unknown): Version | undefined {
  const parts = VERSION.exec(textOf(value));
  if (!parts) return undefined;
  const [, major = 0, minor = 0, patch = 0, pre] = parts;
  const before = pre?.split('.').map((part) => (/^\d{1,15}$/.test(part) ? Number(part) : part)) ?? [];
  return [+major, +minor, +patch, pre ? 0 : 1, ...before];
}

/** Formats a version so that it can be parsed again. */
export const versionText = ([major, minor, patch, released, ...before]: Version): string =>
  `${major}.${minor}.${patch}${released ? '' : `-${before.join('.')}`}`;

/** Negative: a precedes b (semver 2.0.0, item 11). Numeric identifiers precede words, and fewer identifiers precede more. */
export function compareVersions(a: Version, b: Version): number {
  for (let i = 0; ; i++) {
    const [left, right] = [a[i], b[i]];
    if (left === undefined || right === undefined) return a.length - b.length;
    if (left === right) continue;
    return (typeof left === typeof right ? left < right : typeof left === 'number') ? -1 : 1;
  }
}

function withoutWildcards(text: string): string {
  const parts = text.split('.');
  while (/^[*x]$/i.test(parts.at(-1) ?? '')) parts.pop();
  return parts.join('.');
}

/** The range of `tilde` 1.2.3, `caret` 1.2.3 or `wildcard` 1.2.*; undefined: not a range. */
export function parseRange(name: string, value: unknown): VersionRange | undefined {
  const text = textOf(value).trim();
  // 1.2.* and 1.2.x.x fix as many parts as they name
  const fixed = name === 'wildcard' ? withoutWildcards(text) : text;
  const low = text ? parseVersion(fixed || 0) : undefined;
  if (!low) return undefined;
  const parts: Record<string, number> = {
    tilde: 2,
    caret: low[0] ? 1 : low[1] ? 2 : 3,
    wildcard: fixed ? fixed.split('.').length : 0,
  };
  const fixedParts = parts[name];
  if (fixedParts === undefined) return undefined;
  // up to the next value of the last fixed part
  const high = low.slice(0, 3).map((part, i) => (i < fixedParts ? Number(part) + Number(i === fixedParts - 1) : 0));
  return { low, high: fixedParts ? [...high, 1] : null };
}
