/**
 * Standard APIs that at least one of the oldest supported browsers lacks (Safari 15.4, Chrome 100, Firefox 102), or that are missing on
 * pages without https. The client libraries may not call them.
 */
export const NEWER_APIS = [
  'AbortSignal.any',
  'AbortSignal.timeout',
  'Array.fromAsync',
  'Array.prototype.findLast',
  'Array.prototype.findLastIndex',
  'Array.prototype.toReversed',
  'Array.prototype.toSorted',
  'Array.prototype.toSpliced',
  'Array.prototype.with',
  'Element.prototype.checkVisibility',
  'Element.prototype.getHTML',
  'Element.prototype.setHTMLUnsafe',
  'Intl.DurationFormat',
  'Iterator.prototype.drop',
  'Iterator.prototype.every',
  'Iterator.prototype.filter',
  'Iterator.prototype.find',
  'Iterator.prototype.flatMap',
  'Iterator.prototype.forEach',
  'Iterator.prototype.map',
  'Iterator.prototype.reduce',
  'Iterator.prototype.some',
  'Iterator.prototype.take',
  'Iterator.prototype.toArray',
  'Map.groupBy',
  'Object.groupBy',
  'Promise.try',
  'Promise.withResolvers',
  'RegExp.escape',
  'Set.prototype.difference',
  'Set.prototype.intersection',
  'Set.prototype.isDisjointFrom',
  'Set.prototype.isSubsetOf',
  'Set.prototype.isSupersetOf',
  'Set.prototype.symmetricDifference',
  'Set.prototype.union',
  'String.prototype.isWellFormed',
  'String.prototype.toWellFormed',
  'URL.canParse',
  'URL.parse',
  'URLPattern',
  'Uint8Array.fromBase64',
  'Uint8Array.prototype.toBase64',
  'Uint8Array.prototype.toHex',
  'cookieStore',
  'crypto.randomUUID',
  'scheduler',
  'structuredClone',
];

/** Newer APIs that the client libraries use only where they exist. */
export const OPTIONAL_APIS = [
  'CompressionStream',
  'DecompressionStream',
  'NavigationCurrentEntryChangeEvent',
  'Temporal',
  'navigation',
  'requestIdleCallback',
];

/** Page code that removes these APIs, and throws if one remains. */
export function withoutApis(names: readonly string[]): string {
  return `for (const name of ${JSON.stringify(names)}) {
    const path = name.split('.');
    const last = path.pop();
    const owner = path.reduce((from, part) => from?.[part], globalThis);
    for (let at = owner; at; at = Object.getPrototypeOf(at)) delete at[last];
    if (owner && last in owner) throw new Error(name + ' is still there');
  }`;
}

/** Calls of newer APIs in a script, and syntax that older browsers refuse to parse. `Array.prototype.with` reads as any `.with(`. */
export function newerThanRange(script: string): string[] {
  const calls = NEWER_APIS.filter((name) => {
    if (name.startsWith('Iterator.')) return false;
    const [owner = '', method] = name.split('.prototype.');
    return method
      ? script.includes(`.${method}(`)
      : new RegExp(`(?<![\\w$.-])${owner.replace('.', '\\.')}(?![\\w$-])`).test(script);
  });
  const syntax = Object.entries({
    'lookbehind in a regular expression': /\(\?<[=!]/,
    'flag v of a regular expression': /\/[dgimsuy]*v[dgimsuy]*\.(test|exec)\(/,
    'static block of a class': /\bstatic\s*\{/,
    'selector :has': /:has\(/,
  });
  return [...calls, ...syntax.filter(([, pattern]) => pattern.test(script)).map(([name]) => name)];
}
