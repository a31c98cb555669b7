import { z } from 'zod';
import { isObject, type Json, type JsonObject } from '../kernel/json.js';

/** Members whose own members are those of filters, which have tests of their own. */
const LEAVES: ReadonlySet<string> = new Set(['properties', 'fixedProperties', 'test_account_filters']);

/**
 * Every member that a schema knows, as a path: `series[].event`, `funnelsFilter.exclusions[].funnelFromStep`. Members of what is
 * itself only named in `skip` are left out.
 */
export function membersOf(schema: z.ZodType, skip: readonly string[] = []): string[] {
  const document = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonObject;
  const found = new Set<string>();
  const walk = (part: Json | undefined, path: string): void => {
    const own = resolve(document, part);
    for (const option of [own['anyOf'], own['oneOf'], own['allOf']]) {
      for (const one of Array.isArray(option) ? option : []) walk(one, path);
    }
    if (own['items'] !== undefined) walk(own['items'], `${path}[]`);
    for (const [name, inner] of Object.entries(isObject(own['properties']) ? own['properties'] : {})) {
      const member = path === '' ? name : `${path}.${name}`;
      if (found.has(member)) continue;
      found.add(member);
      if (!LEAVES.has(name) && !skip.includes(member)) walk(inner, member);
    }
  };
  walk(document, '');
  return [...found].toSorted();
}

/** The texts that a schema lets each member choose from, by the member's own name: `math`, `funnelOrderType`. */
export function choicesOf(schema: z.ZodType): ReadonlyMap<string, ReadonlySet<string>> {
  const document = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonObject;
  const found = new Map<string, Set<string>>();
  const seen = new Set<JsonObject>();
  const walk = (part: Json | undefined, name: string): void => {
    const own = resolve(document, part);
    const choices = [own['enum'], own['const']].flat().filter((one) => typeof one === 'string');
    if (choices.length > 0) found.set(name, new Set([...(found.get(name) ?? []), ...choices]));
    if (seen.has(own)) return;
    seen.add(own);
    for (const option of [own['anyOf'], own['oneOf'], own['allOf']]) {
      for (const one of Array.isArray(option) ? option : []) walk(one, name);
    }
    if (own['items'] !== undefined) walk(own['items'], name);
    for (const [member, inner] of Object.entries(isObject(own['properties']) ? own['properties'] : {})) {
      if (!LEAVES.has(member)) walk(inner, member);
    }
  };
  walk(document, '');
  return found;
}

function resolve(document: JsonObject, part: Json | undefined): JsonObject {
  if (part === undefined || !isObject(part)) return {};
  const { $ref: reference } = part;
  if (typeof reference !== 'string') return part;
  const steps = reference.split('/').slice(1);
  const found = steps.reduce<Json | undefined>((at, step) => (at !== undefined && isObject(at) ? at[step] : undefined), document);
  return reference === '#' ? document : resolve(document, found);
}
