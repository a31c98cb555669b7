import { type Fragment, identifier } from '../../sql/fragment.js';

/** Characters that stand for themselves in a name that is written for the engine. */
const PLAIN = /[^A-Za-z0-9_$ .-]/gu;

/**
 * A name of the author's as the engine gets it: with a prefix that no table, column or alias of our own has, and without characters
 * that mean anything to it.
 */
export const given = (name: string): Fragment => identifier(`u:${encoded(name)}`);
/** The same, for the arguments of a lambda. */
export const argument = (name: string): Fragment => identifier(`l:${encoded(name)}`);

/** The name under which the engine answers {@link given}. */
export const answered = (name: string): string => `u:${encoded(name)}`;

const encoded = (name: string): string => name.replace(PLAIN, (char) => `%${(char.codePointAt(0) ?? 0).toString(16)}_`);
