type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Name;
type Snake<Name extends string> = Name extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Snake<Tail>}`
  : Name;

/** Options of which each name may be spelled `flush_at` or `flushAt`. */
export type Spellings<Options> = Options & {
  [Name in keyof Options & string as Exclude<Camel<Name> | Snake<Name>, keyof Options>]?: Options[Name];
};

/** The names of all options: the compiler says when one is missing. */
export type OptionNames<Options> = Readonly<Record<keyof Required<Options> & string, true>>;

/** `flush_at` for `flushAt`, and the other way round. */
const otherSpelling = (name: string): string =>
  name.replace(/_(.)|[A-Z]/g, (part, letter?: string) => letter?.toUpperCase() ?? `_${part.toLowerCase()}`);

/**
 * Reads options under any of their names: as documented, in the other spelling, or as another library calls them. What is given under the
 * documented name wins.
 * @param aliases documented names by those of other libraries
 */
export function readOptions<Options extends object>(
  given: object | undefined,
  names: OptionNames<Options>,
  aliases: Readonly<Record<string, keyof Options & string>> = {},
): { options: Options; renamed: Map<string, string>; similar: Map<string, string> } {
  const options: Record<string, unknown> = {};
  /** The documented names of options that were given under another. */
  const renamed = new Map<string, string>();
  /** Documented names that unknown ones look like. */
  const similar = new Map<string, string>();
  for (const [name, value] of Object.entries(given ?? {})) {
    const other = otherSpelling(name);
    const spelling = [name, other].find((one) => Object.hasOwn(names, one));
    const own =
      spelling ?? (Object.hasOwn(aliases, name) ? aliases[name] : Object.hasOwn(aliases, other) ? aliases[other] : undefined);
    if (own === name) continue;
    const near = own ? undefined : Object.keys(names).find((known) => isNear(plain(known), plain(name)));
    if (near) similar.set(name, near);
    if (!own) continue;
    renamed.set(name, own);
    options[own] = value;
  }
  // the names are those of the options, and the values are not looked at
  return { options: { ...options, ...given } as Options, renamed, similar };
}

/** A name without what spellings differ in. */
const plain = (name: string): string => name.replaceAll('_', '').toLowerCase();

/** Whether one letter was mistyped, left out, added or exchanged with its neighbour. */
function isNear(a: string, b: string): boolean {
  if (a === b) return true;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (long.length - short.length > 1 || short.length < 4) return false;
  let at = 0;
  while (short[at] === long[at]) at++;
  const rest = (text: string, from: number) => text.slice(from);
  if (short.length < long.length) return rest(short, at) === rest(long, at + 1);
  const isExchanged = short[at] === long[at + 1] && short[at + 1] === long[at];
  return rest(short, at + 1) === rest(long, at + 1) || (isExchanged && rest(short, at + 2) === rest(long, at + 2));
}
