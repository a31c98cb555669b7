import { toPrimaryKey } from '../http/fields.js';
import { type FilterGroup, MATCH_ALL } from './filter.js';

/** Filter: the event matches the action; undefined: every event. */
export const matchesAction = (action: number | undefined): FilterGroup =>
  action === undefined ? MATCH_ALL : { type: 'AND', values: [{ action }] };

/** The fields of a series, step or metric that name its events, as sent. */
interface RawEntity {
  isAction: boolean;
  event?: string | null | undefined;
  id?: unknown;
  properties: readonly FilterGroup[];
}

/** The events of a node, or a validation error and its field. */
export type Entity =
  | { event: string | null; action?: number; properties: FilterGroup }
  | { field: 'id' | 'event'; code: 'required' | 'invalid_input'; message: string };

/** Reads which events a node counts: events of a name, or events that match the action `id`. */
export function readEntity({ isAction, event, id, properties }: RawEntity): Entity {
  if (!isAction) return { event: event || null, properties: allOf(properties) };
  if (event) return { field: 'event', code: 'invalid_input', message: 'An action has no event: its steps name theirs.' };
  if (id === undefined || id === null || id === '') return { field: 'id', code: 'required', message: 'This field is required.' };
  const action = toPrimaryKey(id);
  if (action === null) return { field: 'id', code: 'invalid_input', message: 'The number of an action is required.' };
  return { event: null, action, properties: allOf([matchesAction(action), ...properties]) };
}

const allOf = (groups: readonly FilterGroup[]): FilterGroup => {
  const [only] = groups;
  return only && groups.length === 1 ? only : { type: 'AND', values: [...groups] };
};
