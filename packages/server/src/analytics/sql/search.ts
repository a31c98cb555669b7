import { bound, type Fragment, some, sql } from './fragment.js';
import { property } from './property.js';

/** Condition: a text contains another, in any case. */
export const contains = (text: Fragment, part: string): Fragment =>
  sql`positionCaseInsensitiveUTF8(${text}, ${bound('String', part)}) > 0`;

/** Condition: the e-mail address or name of a person or group contains a text, in any case. */
export const isNamed = (part: string, owner: Parameters<typeof property>[0]): Fragment =>
  some(['email', 'name'].map((key) => contains(sql`ifNull(${property(owner, key).text}, '')`, part)));
