import { bound, every, type Fragment, identifier, sql } from '../../sql/fragment.js';
import { PERSON_ID, type PropertyOwner, profileColumn, property } from '../../sql/property.js';
import { SESSION_COLUMNS, SESSION_PROPERTIES, sessionId } from '../../sql/session-columns.js';
import { OWN_ID, selectFromAllGroups, selectFromEvents, selectFromPersons } from '../../sql/source.js';

/** The form in which an expression reads a property. */
export type Form = 'text' | 'number' | 'flag';

/** A table for user SQL. */
export interface View {
  /** Columns of `*`. */
  columns: readonly string[];
  /** SQL of `a.b.c`; null: no such column. */
  column(chain: readonly string[], form: Form, zone: string): Fragment | null;
  /** Its rows, restricted to the project. */
  rows(projectId: number, columns: readonly Fragment[], where: readonly Fragment[], first: readonly Fragment[]): Fragment;
}

const inZone = (time: Fragment, zone: string): Fragment =>
  zone === 'UTC' ? time : sql`toTimeZone(${time}, ${bound('String', zone)})`;

function ofProperty(owner: PropertyOwner, path: readonly string[], form: Form): Fragment {
  const { text, number } = property(owner, path.join('.'));
  if (form === 'number') return number;
  return form === 'text' ? text : sql`if(${text} is null, null, ${text} = 'true')`;
}

const ofPerson = (alias: string, expression: Fragment) => profileColumn({ type: 'person' }, alias, expression);
const ofGroup = (index: number, alias: string, expression: Fragment) =>
  profileColumn({ type: 'group', index }, alias, expression);

function personColumn([name, ...path]: readonly string[], form: Form, zone: string, id: Fragment): Fragment | null {
  if (name === 'properties' && path.length > 0) return ofProperty({ type: 'person' }, path, form);
  if (path.length > 0) return null;
  if (name === 'id') return id;
  if (name === 'properties') return ofPerson('all_properties', sql`toJSONString(properties)`);
  if (name === 'created_at') return inZone(ofPerson('created', sql`created_at`), zone);
  return name === 'is_identified' ? ofPerson('identified', sql`is_identified`) : null;
}

function eventColumn([name = '', ...path]: readonly string[], form: Form, zone: string): Fragment | null {
  if (name === 'properties' && path.length > 0) return ofProperty({ type: 'event' }, path, form);
  if (name === 'person' && path.length > 0) return personColumn(path, form, zone, PERSON_ID);
  if (name === 'session' && path.length === 1 && SESSION_PROPERTIES.includes(path[0] ?? '')) {
    return ofProperty({ type: 'session' }, path, form);
  }
  const index = /^\$?group_([0-4])$/.exec(name)?.[1];
  if (index !== undefined) return groupOfEvent(Number(index), path, form);
  if (path.length > 0) return null;
  return Object.hasOwn(EVENT_COLUMNS, name) ? (EVENT_COLUMNS[name]?.(zone) ?? null) : null;
}

function groupOfEvent(index: number, [name, ...path]: readonly string[], form: Form): Fragment | null {
  if (name === 'properties' && path.length > 0) return ofProperty({ type: 'group', index }, path, form);
  if (path.length > 0) return null;
  if (name === 'properties') return ofGroup(index, 'all_properties', sql`toJSONString(properties)`);
  return name === undefined || name === 'key' ? sql`e.${identifier(`group_${index}`)}` : null;
}

const EVENT_COLUMNS: Record<string, (zone: string) => Fragment> = {
  uuid: () => sql`e.uuid`,
  event: () => sql`toString(e.event)`,
  properties: () => sql`toJSONString(e.properties)`,
  timestamp: (zone) => inZone(sql`e.timestamp`, zone),
  distinct_id: () => sql`e.distinct_id`,
  elements_chain: () => sql`e.elements_chain`,
  created_at: (zone) => inZone(sql`e.inserted_at`, zone),
  person_id: () => PERSON_ID,
  $session_id: () => sessionId,
  $window_id: () => property({ type: 'event' }, '$window_id').text,
};

/** Events; what of them may be asked reads the table as `e`. */
export const EVENTS: View = {
  columns: [...Object.keys(EVENT_COLUMNS), ...[0, 1, 2, 3, 4].map((index) => `$group_${index}`)],
  column: eventColumn,
  rows: (projectId, select, where, first) => selectFromEvents({ projectId, select, where, first }),
};

const PERSONS: View = {
  columns: ['id', 'properties', 'created_at', 'is_identified'],
  column: (chain, form, zone) => personColumn(chain, form, zone, OWN_ID),
  rows: (projectId, select, where) => selectFromPersons(projectId, select, every(where)),
};

const GROUPS: View = {
  columns: ['index', 'key', 'properties', 'created_at'],
  column: ([name, ...path], form, zone) => {
    if (name === 'properties' && path.length > 0) return ofProperty({ type: 'group', index: 0 }, path, form);
    if (path.length > 0) return null;
    if (name === 'index') return ofGroup(0, 'type_index', sql`group_type_index`);
    if (name === 'key') return sql`g0.group_key`;
    if (name === 'properties') return ofGroup(0, 'all_properties', sql`toJSONString(properties)`);
    return name === 'created_at' ? inZone(ofGroup(0, 'created', sql`created_at`), zone) : null;
  },
  rows: (projectId, select, where) => selectFromAllGroups(projectId, select, every(where)),
};

const SESSIONS: View = {
  columns: Object.keys(SESSION_COLUMNS),
  column: ([name = '', ...path], _form, zone) =>
    path.length === 0 && Object.hasOwn(SESSION_COLUMNS, name)
      ? (SESSION_COLUMNS[name]?.((time) => inZone(time, zone)) ?? null)
      : null,
  rows: (projectId, select, where, first) =>
    selectFromEvents({ projectId, select, where: [sql`${sessionId} != ''`, ...where], first, groupBy: [sessionId] }),
};

const VIEWS: Record<string, View> = { events: EVENTS, persons: PERSONS, groups: GROUPS, sessions: SESSIONS };

/** The table of a name; null: there is none. */
export const findView = (name: string): View | null => (Object.hasOwn(VIEWS, name) ? (VIEWS[name] ?? null) : null);

export const TABLES = Object.keys(VIEWS);
