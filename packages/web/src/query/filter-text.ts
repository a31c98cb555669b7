import type { Filter, FilterType, FilterValue } from './question.js';

/** The operators of a filter in the order of the menu: what they are called, and what they take. */
export const OPERATORS: readonly { operator: string; label: string; takes: 'many' | 'one' | 'number' | 'date' | 'nothing' }[] = [
  { operator: 'exact', label: 'is', takes: 'many' },
  { operator: 'is_not', label: 'is not', takes: 'many' },
  { operator: 'icontains', label: 'contains', takes: 'one' },
  { operator: 'not_icontains', label: 'does not contain', takes: 'one' },
  { operator: 'starts_with', label: 'starts with', takes: 'one' },
  { operator: 'ends_with', label: 'ends with', takes: 'one' },
  { operator: 'regex', label: 'matches', takes: 'one' },
  { operator: 'not_regex', label: 'does not match', takes: 'one' },
  { operator: 'gt', label: 'more than', takes: 'number' },
  { operator: 'gte', label: 'at least', takes: 'number' },
  { operator: 'lt', label: 'less than', takes: 'number' },
  { operator: 'lte', label: 'at most', takes: 'number' },
  { operator: 'is_date_before', label: 'before', takes: 'date' },
  { operator: 'is_date_after', label: 'after', takes: 'date' },
  { operator: 'is_set', label: 'is set', takes: 'nothing' },
  { operator: 'is_not_set', label: 'is not set', takes: 'nothing' },
];

export const operatorLabel = (operator: string | undefined): string =>
  OPERATORS.find((one) => one.operator === (operator ?? 'exact'))?.label ?? operator ?? 'is';

export const takesOf = (operator: string | undefined) =>
  OPERATORS.find((one) => one.operator === (operator ?? 'exact'))?.takes ?? 'one';

/** A value as a chip shows it: "Chrome", "any of 4". */
export function valueLabel(value: FilterValue | undefined): string {
  if (!Array.isArray(value)) return value === null || value === undefined || value === '' ? '…' : String(value);
  return value.length === 0 ? '…' : value.length === 1 ? String(value[0]) : `any of ${value.length}`;
}

/** Whether a filter has its value: one that is being added has none yet. */
export const isCompleteFilter = ({ type, operator, value }: Filter): boolean =>
  type === 'cohort' ||
  takesOf(operator) === 'nothing' ||
  (Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== '');

const TYPES: Record<string, FilterType> = {
  e: 'event',
  p: 'person',
  g: 'group',
  s: 'session',
  c: 'cohort',
  h: 'hogql',
  m: 'event_metadata',
  l: 'element',
};
const LETTERS = new Map(Object.entries(TYPES).map(([letter, type]) => [type, letter]));

/** Commas separate, `~` escapes; `#` in front marks what is not a text. */
const escapeSigns = (text: string): string => text.replace(/[,~]/g, (sign) => `~${sign}`);

/** Writes a filter for an address: `e:plan,exact,*,pro,team`, which is type and property, operator, `*` for a list, values. */
export function filterToText({ type, key, operator = 'exact', value }: Filter): string {
  const list = Array.isArray(value) ? ['*'] : [];
  const values = value === undefined ? [] : Array.isArray(value) ? value : [value];
  const written = values.map((one) => (typeof one === 'string' ? escapeSigns(one).replace(/^[#*]/, '~$&') : `#${one}`));
  return [`${LETTERS.get(type) ?? 'e'}:${escapeSigns(key)}`, operator, ...list, ...written].join(',');
}

/** Reads what `filterToText` writes; null: the text is not a filter. */
export function filterFromText(text: string): Filter | null {
  // commas after an even number of `~`
  const [head = '', operator, ...rest] = text.split(/(?<=(?:^|[^~])(?:~~)*),/);
  const type = TYPES[head[0] ?? ''];
  if (!type || head[1] !== ':' || !operator) return null;
  const isList = rest[0] === '*';
  const values = (isList ? rest.slice(1) : rest).map(readValue);
  const value = (isList ? values : values[0]) as FilterValue | undefined;
  return { type, key: unescapeSigns(head.slice(2)), operator, ...(value === undefined ? {} : { value }) };
}

const unescapeSigns = (text: string): string => text.replace(/~([\s\S])/g, '$1');

function readValue(text: string): string | number | boolean | null {
  if (!text.startsWith('#')) return unescapeSigns(text);
  const bare = text.slice(1);
  return bare === 'true' ? true : bare === 'false' ? false : bare === 'null' ? null : Number(bare);
}
