import { type Html, html } from '../../../http/html.js';
import type { Json, JsonObject } from '../../../kernel/json.js';
import { markdown } from '../../public/index.js';
import { type ApiDocument, listOf, objectOf, textOf } from './document.js';

/** Levels of nested fields below which only the type is named. */
const MAX_DEPTH = 5;

/** The fields of a JSON schema as a definition list; nested ones fold out. */
export function fieldsHtml(schema: JsonObject, resolve: ApiDocument['resolve'], path: readonly string[] = []): Html {
  const target = objectWithin(schema, resolve, path);
  if (!target) return html`<p class="type">${typeText(schema, resolve)}</p>`;
  const required = Array.isArray(target.schema['required']) ? target.schema['required'] : [];
  return html`<dl class="fields">${Object.entries(objectOf(target.schema['properties'])).map(([name, property]) =>
    fieldHtml(name, objectOf(property), required.includes(name), resolve, target.path),
  )}</dl>`;
}

function fieldHtml(
  name: string,
  schema: JsonObject,
  isRequired: boolean,
  resolve: ApiDocument['resolve'],
  path: readonly string[],
): Html {
  const resolved = resolve(schema);
  const description = textOf(schema['description']) || textOf(resolved['description']);
  return html`<dt><code>${name}</code> <span class="type">${typeText(schema, resolve)}</span>${isRequired && html` <span class="required">required</span>`}</dt>
<dd>${description && markdown(description)}${limitsHtml(resolved)}${
    objectWithin(schema, resolve, path) && html`<details><summary>Fields</summary>${fieldsHtml(schema, resolve, path)}</details>`
  }</dd>`;
}

/** The object that a schema holds: itself, its items, or the first alternative that has fields. Null when none has, or when it would repeat. */
function objectWithin(
  schema: JsonObject,
  resolve: ApiDocument['resolve'],
  path: readonly string[],
): { schema: JsonObject; path: string[] } | null {
  const reference = textOf(schema['$ref']);
  if (path.length > MAX_DEPTH || (reference && path.includes(reference))) return null;
  const resolved = resolve(schema);
  const inner = [...path, reference || '-'];
  if (Object.keys(objectOf(resolved['properties'])).length > 0) return { schema: resolved, path: inner };
  for (const one of [objectOf(resolved['items']), ...listOf(resolved['anyOf']), ...listOf(resolved['oneOf'])]) {
    const found = Object.keys(one).length > 0 && objectWithin(one, resolve, inner);
    if (found) return found;
  }
  return null;
}

/** The type of a schema in words, such as `array of DashboardItem`. */
export function typeText(schema: JsonObject, resolve: ApiDocument['resolve'], depth = 0): string {
  const reference = textOf(schema['$ref']);
  const { type, items, format, ...resolved } = resolve(schema);
  const alternatives = [...listOf(resolved['anyOf']), ...listOf(resolved['oneOf'])];
  if (alternatives.length > 0 && depth < 2) {
    return [...new Set(alternatives.map((one) => typeText(one, resolve, depth + 1)))].join(' or ');
  }
  if (resolved['const'] !== undefined) return JSON.stringify(resolved['const']);
  if (reference && type === 'object') return reference.split('/').at(-1) ?? '';
  const names = (Array.isArray(type) ? type : [type ?? 'any']).map((name) => {
    if (name === 'array' && items && depth < 3) return `array of ${typeText(objectOf(items), resolve, depth + 1)}`;
    return format && name === 'string' ? `${String(name)} (${textOf(format)})` : String(name);
  });
  return names.join(' or ');
}

function limitsHtml(schema: JsonObject): Html | null {
  const limits: [string, Json | undefined][] = [
    ['at least', schema['minimum']],
    ['at most', schema['maximum']],
    ['shortest', schema['minLength']],
    ['longest', schema['maxLength']],
    ['fewest', schema['minItems']],
    ['most', schema['maxItems']],
    ['default', schema['default']],
  ];
  const values = Array.isArray(schema['enum']) ? schema['enum'] : [];
  const given = limits.filter(([, value]) => value !== undefined);
  if (given.length === 0 && values.length === 0) return null;
  return html`<p class="limits">${values.length > 0 && html`One of ${joined(values.map(codeOf))}. `}${
    given.length > 0 && html`${joined(given.map(([name, value]) => html`${name} ${codeOf(value ?? null)}`))}.`
  }</p>`;
}

const codeOf = (value: Json): Html => html`<code>${JSON.stringify(value)}</code>`;
const joined = (parts: readonly Html[]): Html => html`${parts.map((part, i) => html`${i > 0 && ', '}${part}`)}`;

/** A line of text whose parts between backticks are code. */
export const withCode = (text: string): Html =>
  html`${text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))}`;
