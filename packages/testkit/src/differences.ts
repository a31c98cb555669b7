import { isObject, type Json, nameOf, ordered } from './comparable.js';
import type { ProjectContent } from './compare-projects.js';

/** What differs between a project and its copy. */
export interface Difference {
  kind: string;
  /** What people call the object. */
  name: string;
  /** Such as `tags.0: "money", in the copy nothing`. */
  what: string;
  /** Whether the copy has no such object. */
  isMissing: boolean;
}

/** All differences between two projects. */
export function differences(source: ProjectContent, copy: ProjectContent): Difference[] {
  const kinds = [...new Set([...Object.keys(source), ...Object.keys(copy)])];
  return kinds.flatMap((kind) => {
    const [here, there] = [pool(source[kind]), pool(copy[kind])];
    for (const [text, ones] of here) {
      const others = there.get(text);
      while (ones.length && others?.length) {
        ones.pop();
        others.pop();
      }
    }
    const [left, right] = [[...here.values()].flat(), [...there.values()].flat()];
    const found: Difference[] = [];
    for (const one of left) {
      const name = labelOf(one);
      const at = right.findIndex((other) => labelOf(other) === name);
      if (at < 0) found.push({ kind, name, what: `not in the copy: ${shorten(one)}`, isMissing: true });
      else for (const what of changesOf(one, right.splice(at, 1)[0], '')) found.push({ kind, name, what, isMissing: false });
    }
    for (const other of right)
      found.push({ kind, name: labelOf(other), what: `only in the copy: ${shorten(other)}`, isMissing: false });
    return found;
  });
}

/** Equal values by their text. */
function pool(list: readonly unknown[] = []): Map<string, unknown[]> {
  const found = new Map<string, unknown[]>();
  for (const one of list) {
    const text = JSON.stringify(ordered(one));
    const ones = found.get(text);
    if (ones) ones.push(one);
    else found.set(text, [one]);
  }
  return found;
}

/** What a line calls an object. */
function labelOf(value: unknown): string {
  if (!isObject(value)) return JSON.stringify(value);
  const { type, group_key, distinct_ids, of, key, created_at, activity } = value;
  if (activity !== undefined) return JSON.stringify([key, activity, created_at]);
  const name = group_key ?? (Array.isArray(distinct_ids) ? distinct_ids[0] : undefined) ?? of ?? nameOf(value);
  return JSON.stringify(name) + (/^(event|person|group)/.test(String(type)) ? ` of ${type}s` : '');
}

const shorten = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 300));

/** Where two values differ. */
function changesOf(one: unknown, other: unknown, path: string): string[] {
  if (JSON.stringify(ordered(one)) === JSON.stringify(ordered(other))) return [];
  const areLists = Array.isArray(one) && Array.isArray(other) && one.length === other.length;
  if (areLists || (isObject(one) && isObject(other))) {
    const [a, b] = [one as Json, other as Json];
    const fields = [...new Set([...Object.keys(a), ...Object.keys(b)])];
    return fields.flatMap((field) => changesOf(a[field], b[field], path === '' ? field : `${path}.${field}`));
  }
  return [`${path || 'all'}: ${shorten(one)}, in the copy ${shorten(other)}`];
}
