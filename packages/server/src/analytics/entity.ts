import { toPrimaryKey } from '../http/fields.js';
import { type FilterGroup, MATCH_ALL } from './filter.js';

/** That an event matches an action; undefined: every event does. */
export const matchesAction = (action: number | undefined): FilterGroup =>
  action === undefined ? MATCH_ALL : { type: 'AND', values: [{ action }] };

/** What events a node names, as it is sent. */
interface RawEntity {
  isAction: boolean;
  event?: string | null | undefined;
  id?: unknown;
  properties: readonly FilterGroup[];
}

/** The events of a node, or what is wrong with it and in which field. */
export type Entity =
  | { event: string | null; action?: number; properties: FilterGroup }
  | { field: 'id' | 'event'; code: 'required' | 'invalid_input'; message: string };

/** Reads which events a node is about: those of a name, or those that match the action with its `id`. */
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
