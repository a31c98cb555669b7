import type { JsonObject } from '../../kernel/json.js';
import type { PlainProperties } from '../plain-properties.js';
import { cleanText } from '../storable.js';
import { checkTimestamp } from './checks.js';
import type { EventContext } from './event-context.js';
import { AUTO_SET, HEATMAP_KEY } from './properties.js';

/*
 * Most events of an import pass all stages unchanged, and only those of their properties count that are here. A stage that acts on another name of
 * an event or property must have it in these lists.
 */

/** Events that a stage, the identities or the groups treat in a way of their own. */
const OWN_WAY: ReadonlySet<unknown> = new Set([
  '$performance_event',
  '$snapshot',
  '$$client_ingestion_warning',
  '$identify',
  '$create_alias',
  '$merge_dangerously',
  '$groupidentify',
  '$set',
  '$exception',
  '$$heatmap',
]);

/** Properties that are changed or read on the way, whatever their value. */
const CHANGED: ReadonlySet<string> = new Set([
  'token',
  'distinct_id',
  '$distinct_id',
  '$anon_distinct_id',
  'alias',
  '$cookieless_mode',
  '$ip',
  'capture_internal',
  '$set',
  '$set_once',
  '$unset',
  '$groups',
  '$group_type',
  '$group_key',
  '$group_set',
  HEATMAP_KEY,
  '$elements',
  '$elements_chain',
]);

const SETS_PERSON: ReadonlySet<string> = new Set(AUTO_SET);

/** Properties whose values {@link putPlain} and the reader of plain properties need. */
export const SELECTED_NAMES: readonly string[] = ['$process_person_profile', '$lib', '$is_server'];

/** Whether the stages leave the name and properties of such an event alone. The name must be known: it stands before the properties. */
export const isPlainEvent = (event: unknown): boolean => typeof event === 'string' && !OWN_WAY.has(event);

/** Whether no stage acts on a property. */
export const isPlainName = ({ name, isNull }: { name: string; isNull: boolean }): boolean =>
  !CHANGED.has(name) && (isNull || !SETS_PERSON.has(name));

/** Does to an event with plain properties, which has no address of a sender, what the stages do. */
export function putPlain(context: EventContext, plain: PlainProperties): undefined {
  context.event = cleanText(context.event);
  context.distinctId = cleanText(context.distinctId);
  checkTimestamp.run(context);
  context.processProfile = mayChangePerson(plain.selected);
  if (context.processProfile) context.device = plain.device();
}

const mayChangePerson = ({ $process_person_profile: setting }: JsonObject): boolean => setting !== false;
