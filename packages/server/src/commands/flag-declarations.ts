import { isObject, type JsonObject } from '../kernel/json.js';
import { nameOf, typeOfJson } from './type-of-json.js';

/** A flag of the REST API, as far as its declaration needs it. */
export interface DeclaredFlag {
  key: string;
  name?: string;
  filters: unknown;
  has_encrypted_payloads?: boolean | null;
}

/**
 * Text of a TypeScript declaration file with the keys, values and payloads of flags. It does not depend on the order of the flags.
 * @param module the module whose `FlagRegistry` is augmented
 */
export function flagDeclarations(flags: readonly DeclaredFlag[], module: string): string {
  const lines = flags.toSorted((a, b) => (a.key < b.key ? -1 : 1)).flatMap(declarationOf);
  return `// Written by \`tidemark flags:types\`: run it again instead of changing this file.
import ${JSON.stringify(module)};

declare module ${JSON.stringify(module)} {
  interface FlagRegistry {${lines.map((line) => `\n    ${line}`).join('')}${lines.length ? '\n  ' : ''}}
}
`;
}

function declarationOf(flag: DeclaredFlag): string[] {
  const filters = isObject(flag.filters) ? flag.filters : {};
  const comment = flag.name?.replaceAll(/\s+/g, ' ').replaceAll('*/', '* /').trim();
  const field = `${nameOf(flag.key)}: { value: ${valueTypeOf(filters)}; payload: ${payloadTypeOf(flag, filters)} };`;
  return comment && comment !== flag.key ? [`/** ${comment} */`, field] : [field];
}

function valueTypeOf(filters: JsonObject): string {
  const variants = isObject(filters['multivariate']) ? filters['multivariate']['variants'] : undefined;
  const known = Array.isArray(variants) ? variants.filter(isObject) : [];
  const keys = known.flatMap(({ key }) => (typeof key === 'string' ? JSON.stringify(key) : []));
  if (!keys.length) return 'boolean';
  const held = isObject(filters['holdout']) ? [JSON.stringify(`holdout-${String(filters['holdout']['id'])}`)] : [];
  const share = known.reduce((sum, { rollout_percentage: one }) => sum + (typeof one === 'number' ? one : 0), 0);
  // persons outside of all variants have the flag without one
  return [share < 100 ? 'boolean' : 'false', ...new Set([...keys, ...held])].join(' | ');
}

function payloadTypeOf(flag: DeclaredFlag, filters: JsonObject): string {
  if (flag.has_encrypted_payloads) return 'unknown';
  const payloads = isObject(filters['payloads']) ? Object.values(filters['payloads']) : [];
  const told = payloads.filter((payload) => payload !== null && payload !== '');
  return told.length ? typeOfJson(told.map(parsed)) : 'null';
}

/** Payloads are stored as JSON text. */
function parsed(payload: unknown): unknown {
  if (typeof payload !== 'string') return payload;
  try {
    return JSON.parse(payload);
  } catch {
    return payload;
  }
}
