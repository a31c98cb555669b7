/** A version as the filters read it: an optional v, one to three numbers, a pre-release, a build that does not count. */
const VERSION = /^v?(\d{1,18})(?:\.(\d{1,18}))?(?:\.(\d{1,18}))?(?:-[0-9A-Za-z.-]+)?(?:\+.*)?$/;
const PATTERN = /^v?\d{1,15}(\.\d{1,15})?\.\*$|^\*$/;

const bare = (text: string): string => text.trim().replace(/^[~^=]/, '');

/** Whether a text is a version such as `1.2.3`, `v2` or `1.0.0-rc.1`. */
export const isVersion = (text: string): boolean => VERSION.test(bare(text));
/** Whether a text is a pattern such as `1.2.*`. */
export const isVersionPattern = (text: string): boolean => PATTERN.test(text.trim());

/** The version without a range sign in front. */
export const versionOf = (text: string): string => bare(text);

/** The versions from `low` up to, not including, `high` (null: without end). */
export interface VersionRange {
  low: string;
  high: string | null;
}

/** `~1.2.3`: the same minor version. */
export function tildeRange(text: string): VersionRange {
  const [major, minor] = numbers(text);
  return { low: bare(text), high: `${major}.${minor + 1}.0` };
}

/** `^1.2.3`: the same leftmost number that is not zero. */
export function caretRange(text: string): VersionRange {
  const [major, minor, patch] = numbers(text);
  if (major > 0) return { low: bare(text), high: `${major + 1}.0.0` };
  return { low: bare(text), high: minor > 0 ? `0.${minor + 1}.0` : `0.0.${patch + 1}` };
}

/** `1.2.*`, `1.*` or `*`. */
export function wildcardRange(text: string): VersionRange {
  const given = text.trim().replace(/\.?\*$/, '');
  if (given === '') return { low: '0.0.0', high: null };
  const [major, minor] = numbers(given);
  return { low: given, high: given.includes('.') ? `${major}.${minor + 1}.0` : `${major + 1}.0.0` };
}

function numbers(text: string): [number, number, number] {
  const [, major = '0', minor = '0', patch = '0'] = VERSION.exec(bare(text)) ?? [];
  return [Number(major), Number(minor), Number(patch)];
}
