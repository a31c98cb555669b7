import { type Fragment, identifier } from '../../sql/fragment.js';

/** Characters that must be encoded in a generated name. */
const PLAIN = /[^A-Za-z0-9_$ .-]/gu;

/**
 * An identifier of the user as an SQL identifier: with the prefix `u:`, which no generated name has, and with special characters encoded as
 * `%<hex>_`.
 */
export const given = (name: string): Fragment => identifier(`u:${encoded(name)}`);
/** The same for arguments of lambdas, with the prefix `l:`. */
export const argument = (name: string): Fragment => identifier(`l:${encoded(name)}`);

/** The column name of {@link given} in results of the engine. */
export const answered = (name: string): string => `u:${encoded(name)}`;

const encoded = (name: string): string => name.replace(PLAIN, (char) => `%${(char.codePointAt(0) ?? 0).toString(16)}_`);
