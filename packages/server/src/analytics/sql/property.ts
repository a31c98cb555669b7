import { type Fragment, identifier, joining, some, sql } from './fragment.js';
import type { Join } from './source.js';

/** The person of an event after merges. */
export const PERSON_ID: Fragment = joining(sql`if(o.is_known, o.person_id, e.person_id)`, { table: 'person_overrides' });

/**
 * A number that stands for the person of an event after merges: where nobody needs the uuid, it costs a third of the time to count and group
 * by. Why: docs/decisions/0072-numbers-of-persons.md
 */
export const PERSON_NUMBER: Fragment = joining(sql`person_number`, { table: 'person_numbers' });

/** The same number, of a person's uuid. */
export const numberOf = (uuid: Fragment): Fragment => sql`cityHash64(${uuid})`;

/** A time as ISO text such as `2024-01-31T12:00:00.000Z`. */
export const isoText = (time: Fragment): Fragment => sql`concat(replaceOne(toString(${time}, 'UTC'), ' ', 'T'), 'Z')`;

/** Owners of properties with arbitrary names, as sent by clients. */
export type Owner = { type: 'event' } | { type: 'person' } | { type: 'group'; index: number };

/** The owner of a property. Sessions and event metadata have a fixed set of properties. */
export type PropertyOwner = Owner | { type: 'session' } | { type: 'event_metadata' };

/** SQL forms of a property; null if it is absent. */
export interface Property {
  /** A text as it is, other values as compact JSON; null for an object. */
  text: Fragment;
  /** A finite number, or a text that parses as one. */
  number: Fragment;
  /** The value if it was sent as a number. */
  numeric: Fragment;
  /** Compact JSON of a value other than a text; null for an object. */
  other: Fragment;
  /** The value as JSON text, objects too. */
  json: Fragment;
  /** Whether the property is set; never null. */
  present: Fragment;
}

/**
 * Whether a property of this name can be queried. ClickHouse's JSON type reads names such as `^a` as syntax, and PostHog's computed
 * properties (`$virt_initial_channel_type`) do not exist here.
 */
export const isReadableName = (name: string): boolean => name !== '' && !/^[\^:]`|^\$virt_/.test(name);

/** A property by name. `a.b` is the property of that name or, if there is none, the path `b` inside the object `a`. */
export function property(owner: PropertyOwner, name: string): Property {
  if (owner.type === 'session') return ofText(joining(sql`se.${identifier(name)}`, { table: 'sessions', name }));
  if (owner.type === 'event_metadata') return ofText(METADATA[name] ?? sql`cast(null, 'Nullable(String)')`);
  // the evaluator of feature flags knows the group key by this name, too
  if (owner.type === 'group' && name === '$group_key') return ofText(profileColumn(owner, 'own_key', sql`toNullable(group_key)`));
  // keys are stored with their dots escaped, so that `a.b` is one key and not a path
  const steps = /^[^.]+(\.[^.]+)+$/.test(name) ? name.split('.') : [];
  const paths = steps.length > 0 && steps.length <= MAX_STEPS ? [[escaped(name)], steps] : [[escaped(name)]];
  const candidates = paths.map((path) => column(owner, path));
  return {
    text: firstOf(candidates.map(({ value }) => text(value))),
    number: firstOf(candidates.map(({ value }) => number(text(value)))),
    numeric: firstOf(candidates.map(({ value }) => number(other(value)))),
    other: firstOf(candidates.map(({ value }) => other(value))),
    json: firstOf(candidates.map(({ value, object }) => json(value, object))),
    present: some(candidates.map(({ value, object }) => sql`${value} is not null or notEmpty(${object})`)),
  };
}

/** Event metadata as nullable texts; times are ISO texts in UTC. */
const METADATA: Record<string, Fragment> = {
  event: sql`toNullable(toString(e.event))`,
  distinct_id: sql`toNullable(e.distinct_id)`,
  person_id: sql`toNullable(toString(${PERSON_ID}))`,
  uuid: sql`toNullable(toString(e.uuid))`,
  timestamp: sql`toNullable(${isoText(sql`e.timestamp`)})`,
  created_at: sql`toNullable(${isoText(sql`e.inserted_at`)})`,
  ...Object.fromEntries([0, 1, 2, 3, 4].map((index) => [`$group_${index}`, sql`nullIf(e.${identifier(`group_${index}`)}, '')`])),
};

/** Names of event metadata for filters and breakdowns. */
export const METADATA_KEYS: readonly string[] = Object.keys(METADATA);

/** Maximum path length into objects; a name with more dots is a plain name. */
const MAX_STEPS = 50;

/** The forms of a nullable text. */
export const ofText = (own: Fragment): Property => ({
  text: own,
  number: number(own),
  numeric: sql`cast(null, 'Nullable(Float64)')`,
  other: sql`cast(null, 'Nullable(String)')`,
  json: sql`if(${own} is null, null, toJSONString(${own}))`,
  present: sql`${own} is not null`,
});

const escaped = (name: string): string => name.replaceAll('.', '%2E');

const firstOf = (forms: Fragment[]): Fragment => {
  const [first, second] = forms;
  return second && first ? sql`coalesce(${first}, ${second})` : (first ?? sql`null`);
};

const string = (value: Fragment): Fragment => sql`dynamicElement(${value}, 'String')`;
// `if` instead of `coalesce`: the engine then makes JSON text only of the values that are not texts
const text = (value: Fragment): Fragment => sql`if(${string(value)} is null, toJSONString(${value}), ${string(value)})`;
const number = (form: Fragment): Fragment => finite(sql`toFloat64OrNull(${form})`);
const other = (value: Fragment): Fragment => sql`if(${string(value)} is null, toJSONString(${value}), null)`;
const finite = (form: Fragment): Fragment => sql`if(isFinite(${form}), ${form}, null)`;
const json = (value: Fragment, object: Fragment): Fragment =>
  sql`coalesce(toJSONString(${value}), nullIf(toJSONString(${object}), '{}'))`;

interface Column {
  /** Dynamic column: any value but an object. */
  value: Fragment;
  /** JSON subcolumn: `{}` if the value is not an object. */
  object: Fragment;
}

function column(owner: Owner, path: string[]): Column {
  const steps = path.map((step) => identifier(step)).reduce((all, next) => sql`${all}.${next}`);
  const value = sql`properties.${steps}`;
  const object = sql`properties.^${steps}`;
  if (owner.type === 'event') return { value: sql`e.${value}`, object: sql`e.${object}` };
  const key = Buffer.from(path.join('.')).toString('hex');
  return { value: profileColumn(owner, `v_${key}`, value), object: profileColumn(owner, `o_${key}`, object) };
}

/** A column of the profile of a person or group, which the statement joins under an alias. */
export function profileColumn(owner: Exclude<Owner, { type: 'event' }>, alias: string, expression: Fragment): Fragment {
  const column = { alias, expression };
  const join: Join = owner.type === 'person' ? { table: 'persons', column } : { table: 'groups', index: owner.index, column };
  const table = identifier(owner.type === 'person' ? 'p' : `g${owner.index}`);
  return joining(sql`${table}.${identifier(alias)}`, join);
}
