import { operatorLabel } from '../../query/filter-text.js';
import { propertyName } from '../../query/property-name.js';
import type { Filter } from '../../query/question.js';
import type { Difference } from '../../ui/DifferenceTable.js';
import type { Condition, FlagDraft, Variant } from './draft.js';

const yesNo = (value: boolean): string => (value ? 'Yes' : 'No');

/** The simple fields, by what people call them. */
const FIELDS: readonly { what: string; text: (draft: FlagDraft) => string }[] = [
  { what: 'Key', text: ({ key }) => key },
  { what: 'Description', text: ({ name }) => name },
  { what: 'Tags', text: ({ tags }) => tags.join(', ') },
  { what: 'Given to', text: ({ groupType }) => (groupType === null ? 'People' : `Groups of type ${groupType}`) },
  { what: 'Payload', text: ({ payload, variants }) => (variants.length === 0 ? payload : '') },
  { what: 'Payload only', text: ({ isPayloadOnly }) => yesNo(isPayloadOnly) },
  { what: 'Same value after log-in', text: ({ keepsValueOverLogin }) => yesNo(keepsValueOverLogin) },
  { what: 'Percentages by', text: ({ bucketing }) => (bucketing === 'device_id' ? 'Device' : 'Person') },
  { what: 'Evaluated by', text: ({ runtime }) => ({ all: 'All', client: 'Browsers and apps', server: 'Servers' })[runtime] },
  { what: 'Contexts', text: ({ contexts }) => contexts.join(', ') },
];

/** What differs between two states of a flag, in the order of the editor. Conditions and variants are compared by their ids. */
export function differencesOf(before: FlagDraft, after: FlagDraft): Difference[] {
  const fields = FIELDS.map(({ what, text }) => ({ what, before: text(before), after: text(after) }));
  return [
    ...fields.filter((one) => one.before !== one.after),
    ...listDifferences('Condition', before.conditions, after.conditions, conditionText),
    ...orderDifference(before.conditions, after.conditions),
    ...listDifferences('Variant', before.variants, after.variants, variantText),
  ];
}

function listDifferences<Item extends { id: number }>(
  what: string,
  before: readonly Item[],
  after: readonly Item[],
  text: (item: Item) => string,
): Difference[] {
  const present = after.map((item, index) => {
    const old = before.find(({ id }) => id === item.id);
    return { what: `${what} ${index + 1}`, before: old ? text(old) : '', after: text(item) };
  });
  const gone = before.flatMap((item, index) =>
    after.some(({ id }) => id === item.id) ? [] : [{ what: `${what} ${index + 1}`, before: text(item), after: '' }],
  );
  return [...present, ...gone].filter((one) => one.before !== one.after);
}

function orderDifference(before: readonly Condition[], after: readonly Condition[]): Difference[] {
  const shared = (list: readonly Condition[], other: readonly Condition[]) =>
    list.map(({ id }) => id).filter((id) => other.some((one) => one.id === id));
  const [old, now] = [shared(before, after), shared(after, before)];
  const words = (ids: readonly number[]) => ids.map((id) => before.findIndex((one) => one.id === id) + 1).join(', ');
  return old.join() === now.join() ? [] : [{ what: 'Order of conditions', before: words(old), after: words(now) }];
}

/** "Our team: email ends with @x.example, 100%, then one-page". */
export function conditionText({ title, properties, dependencies, percentage, variant }: Condition): string {
  const parts = [
    ...properties.map(filterText),
    ...dependencies.map(({ flag, value }) => `flag ${flag} is ${value === true ? 'on' : value === false ? 'off' : value}`),
  ];
  const who = parts.length === 0 ? 'all' : parts.join(' and ');
  return `${title && `${title}: `}${who}, ${percentage}%${variant === null ? '' : `, then ${variant}`}`;
}

function filterText({ type, key, operator, value }: Filter): string {
  const values = Array.isArray(value) ? value.join(', ') : value === undefined || value === null ? '' : String(value);
  if (type === 'cohort') return `${operator === 'not_in' ? 'not ' : ''}in cohort ${values}`;
  return `${propertyName(key)} ${operatorLabel(operator)} ${values}`.trim();
}

const variantText = ({ key, name, percentage, payload }: Variant): string =>
  [key, name, `${percentage}%`, payload].filter((part) => part !== '').join(', ');
