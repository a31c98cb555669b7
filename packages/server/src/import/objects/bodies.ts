import { isObject, type JsonObject } from '../../kernel/json.js';
import type { ImportReport } from '../report.js';
import type { Target } from '../target.js';
import type { ObjectKind } from './object-source.js';
import type { IdMaps } from './references.js';

/** What is sent to create an object, or why it cannot be created. */
export type Body = { body: JsonObject; changes?: string[] } | { problem: string } | { ignored: string };

/** How objects of a kind are created. */
export interface CreatedKind {
  kind: ObjectKind;
  path: string;
  /** Fields that are sent as they are, with mapped references. */
  fields: readonly string[];
  /** Further fields of the source that `adapt` reads, with mapped references. */
  sources?: readonly string[];
  /** What else is to be done to them. */
  adapt?: (object: JsonObject, body: JsonObject, ids: IdMaps) => Body;
  /** What follows the creation. */
  finish?: (object: JsonObject, id: number | string, target: Target, report: ImportReport) => Promise<void>;
  /** Whether lists do not show all of an object. */
  isListedInPart?: true;
  /** Field that names one object in the target; objects that have it there are not created again. */
  unique?: string;
}

/** Fields of filters that are older forms; empty ones are left out. */
const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0);

/** Kinds that are created by a `POST` of what the `GET` of the source returned. */
export const CREATED_KINDS: readonly CreatedKind[] = [
  {
    kind: 'cohorts',
    path: 'cohorts/',
    fields: ['name', 'description', 'filters', 'is_static'],
    sources: ['groups'],
    adapt: cohort,
    finish: addPeople,
  },
  { kind: 'actions', path: 'actions/', fields: ['name', 'description', 'tags', 'steps', 'pinned_at'], unique: 'name' },
  {
    kind: 'insight_variables',
    path: 'insight_variables/',
    fields: ['name', 'type', 'default_value', 'values'],
    unique: 'name',
  },
  {
    kind: 'feature_flags',
    path: 'feature_flags/',
    fields: [
      'key',
      'name',
      'filters',
      'active',
      'ensure_experience_continuity',
      'bucketing_identifier',
      'evaluation_runtime',
      'evaluation_contexts',
      'is_remote_configuration',
      'has_enriched_analytics',
      'tags',
    ],
    unique: 'key',
    adapt: flag,
  },
  {
    kind: 'experiments',
    path: 'experiments/',
    fields: [
      'name',
      'description',
      'feature_flag_key',
      'start_date',
      'end_date',
      'parameters',
      'metrics',
      'metrics_secondary',
      'exposure_criteria',
      'stats_config',
      'conclusion',
      'conclusion_comment',
      'shipped_variant',
      'archived',
    ],
    unique: 'feature_flag_key',
    adapt: experiment,
    finish: switchFlagOff,
  },
  {
    kind: 'surveys',
    path: 'surveys/',
    fields: [
      'name',
      'description',
      'type',
      'questions',
      'conditions',
      'appearance',
      'translations',
      'schedule',
      'iteration_count',
      'iteration_frequency_days',
      'responses_limit',
      'enable_partial_responses',
      'start_date',
      'end_date',
      'archived',
    ],
    sources: ['targeting_flag'],
    adapt: survey,
  },
  {
    kind: 'early_access_features',
    path: 'early_access_feature/',
    fields: ['name', 'description', 'stage', 'documentation_url', 'payload'],
    adapt: (object, body, ids) => withFlag(object, body, ids, 'feature_flag', 'feature_flag_id'),
  },
  {
    kind: 'insights',
    path: 'insights/',
    fields: ['name', 'derived_name', 'description', 'query', 'tags', 'favorited', 'saved', 'order'],
    sources: ['filters'],
    adapt: insight,
  },
  {
    kind: 'dashboards',
    path: 'dashboards/',
    fields: ['name', 'description', 'pinned', 'tags', 'filters', 'variables', 'restriction_level'],
    adapt: dashboard,
    isListedInPart: true,
  },
  {
    kind: 'annotations',
    path: 'annotations/',
    fields: ['content', 'date_marker', 'scope', 'creation_type'],
    adapt: annotation,
  },
  {
    kind: 'dashboard_templates',
    path: 'dashboard_templates/',
    fields: ['template_name', 'dashboard_description', 'dashboard_filters', 'tags', 'tiles', 'variables', 'image_url', 'scope'],
  },
  {
    kind: 'scheduled_changes',
    path: 'scheduled_changes/',
    fields: ['model_name', 'payload', 'scheduled_at'],
    adapt: scheduledChange,
  },
  {
    kind: 'alerts',
    path: 'alerts/',
    fields: ['name', 'enabled', 'calculation_interval', 'condition', 'config', 'webhook_url', 'snoozed_until'],
    sources: ['threshold', 'subscribed_users'],
    adapt: alert,
  },
];

function cohort(object: JsonObject, body: JsonObject): Body {
  if (object['is_static'] === true) {
    const { filters: _, ...rest } = body;
    return { body: rest };
  }
  if (!isEmpty(object['filters'])) return { body };
  const groups = Array.isArray(object['groups']) ? object['groups'].filter(isObject) : [];
  if (groups.length === 0) return { problem: 'the cohort has neither filters nor a list of people' };
  if (groups.some((group) => group['action_id'] || group['event_id'])) {
    return { problem: 'the cohort is about events in its older form: open and save it in PostHog, which gives it filters' };
  }
  const values = groups.map((group) => ({
    type: 'AND',
    values: (Array.isArray(group['properties']) ? group['properties'] : []).map((one) => ({
      type: 'person',
      ...(isObject(one) ? one : {}),
    })),
  }));
  return {
    body: { ...body, filters: { properties: { type: 'OR', values } } },
    changes: ['conditions in their older form became filters'],
  };
}

/** People of a request. */
const PEOPLE = 1_000;

/** Puts the people of a static cohort into it. */
async function addPeople(object: JsonObject, id: number | string, { client, api }: Target, report: ImportReport): Promise<void> {
  const people = Array.isArray(object['people']) ? object['people'] : [];
  for (let at = 0; at < people.length; at += PEOPLE) {
    const person_ids = people.slice(at, at + PEOPLE);
    await client.request('PATCH', `${api}/cohorts/${id}/add_persons_to_static_cohort/`, { person_ids });
  }
  if (object['is_static'] === true) report.count('cohort members', 'imported', people.length);
}

function flag(object: JsonObject, body: JsonObject): Body {
  const key = String(object['key']);
  if (key.startsWith('survey-targeting-')) return { ignored: 'the survey that the flag belongs to makes it' };
  if (object['has_encrypted_payloads'] === true)
    return { problem: 'the source does not give the encrypted payloads of the flag' };
  return { body };
}

function experiment(object: JsonObject, body: JsonObject): Body {
  const parameters = isObject(object['parameters']) ? object['parameters'] : {};
  const { feature_flag_variants: variants, rollout_percentage: _, ...rest } = parameters;
  // a flag gives its variants to others once the experiment is over; before its start they are those of the flag
  if (!isEmpty(object['start_date']) && !isEmpty(variants)) rest['feature_flag_variants'] = variants ?? null;
  const changes: string[] = [];
  if (isEmpty(object['metrics']) && !isEmpty(object['filters']))
    changes.push('a metric in its older form (filters) is not taken');
  if (!isEmpty(object['saved_metrics'])) changes.push('shared metrics are not taken');
  return { body: { ...body, parameters: rest }, changes };
}

/** Leaves the flag of an experiment that was paused or ended as it is in the source: making an experiment that has started switches it on. */
async function switchFlagOff({ feature_flag: flag }: JsonObject, id: number | string, { client, api }: Target): Promise<void> {
  if (!isObject(flag) || (flag['active'] !== false && flag['deleted'] !== true)) return;
  const made = await client.request('GET', `${api}/experiments/${id}/`);
  const own = isObject(made) ? made['feature_flag'] : null;
  if (isObject(own) && own['active'] === true) {
    await client.request('PATCH', `${api}/feature_flags/${own['id']}/`, { active: false });
  }
}

function survey(object: JsonObject, body: JsonObject, ids: IdMaps): Body {
  const targeting = object['targeting_flag'];
  if (isObject(targeting)) {
    // the flag of a survey alone is not imported as a flag: the survey makes it
    const other = ids.of('feature_flags', targeting['id']);
    if (other !== undefined) body['targeting_flag_id'] = other;
    else if (isObject(targeting['filters'])) body['targeting_flag_filters'] = targeting['filters'];
  }
  return withFlag(object, body, ids, 'linked_flag', 'linked_flag_id');
}

/** Adds the flag that an object has, by its id in the target. */
function withFlag(object: JsonObject, body: JsonObject, ids: IdMaps, member: string, field: string): Body {
  const flag = object[member];
  const id = isObject(flag) ? flag['id'] : object[field];
  if (id === null || id === undefined) return { body };
  const found = ids.of('feature_flags', id);
  return found === undefined ? { problem: 'its flag was not imported' } : { body: { ...body, [field]: found } };
}

function insight(object: JsonObject, body: JsonObject): Body {
  const filters = object['filters'];
  // Tidemark keeps the older form beside the query that it became
  if (!isEmpty(object['query'])) return { body: isObject(filters) && !isEmpty(filters) ? { ...body, filters } : body };
  const { query: _, ...rest } = body;
  if (isEmpty(object['filters'])) return { problem: 'the insight has neither a query nor filters' };
  return { body: { ...rest, filters: object['filters'] ?? {} }, changes: ['filters, the older form, became a query'] };
}

function dashboard(object: JsonObject, body: JsonObject, ids: IdMaps): Body {
  const changes: string[] = [];
  const tiles: JsonObject[] = [];
  for (const tile of Array.isArray(object['tiles']) ? object['tiles'].filter(isObject) : []) {
    const { layouts = {}, color = null, insight, text } = tile;
    if (!isEmpty(tile['filters_overrides'])) changes.push('filters of a single tile are not taken');
    if (isObject(text)) tiles.push({ layouts, color, text: { body: text['body'] ?? '' } });
    else if (isObject(insight)) {
      const id = ids.of('insights', insight['id']);
      if (id === undefined) changes.push('a tile is not taken, because its insight was not');
      else tiles.push({ layouts, color, insight: { id } });
    } else changes.push('tiles with neither an insight nor a text, such as buttons, are not taken');
  }
  return { body: { ...body, tiles }, changes };
}

function annotation(object: JsonObject, body: JsonObject, ids: IdMaps): Body {
  for (const [field, kind] of [
    ['dashboard_item', 'insights'],
    ['dashboard_id', 'dashboards'],
  ] as const) {
    const id = object[field];
    if (id === null || id === undefined) continue;
    const found = ids.of(kind, id);
    if (found === undefined) return { problem: 'what the annotation is about was not imported' };
    body[field] = found;
  }
  return { body };
}

/** A change of a flag that is still to come. */
function scheduledChange(object: JsonObject, body: JsonObject, ids: IdMaps): Body {
  if (!isEmpty(object['executed_at'])) return { ignored: 'it was made already: the history of its flag has it' };
  if (object['is_recurring'] === true) return { problem: 'changes that are repeated are not supported' };
  const flag = ids.of('feature_flags', object['record_id']);
  return flag === undefined ? { problem: 'its flag was not imported' } : { body: { ...body, record_id: String(flag) } };
}

/** An alert of an insight. Who it tells is the person who imports it, because the numbers of users are others. */
function alert(object: JsonObject, body: JsonObject, ids: IdMaps): Body {
  const { insight, threshold } = object;
  const found = ids.of('insights', isObject(insight) ? insight['id'] : insight);
  if (found === undefined) return { problem: 'its insight was not imported' };
  const changes = ['it tells the person who imported it: subscribe the others'];
  if (object['skip_weekend'] === true) changes.push('it is checked on weekends, too');
  const configuration = isObject(threshold) ? threshold['configuration'] : null;
  if (isEmpty(configuration)) return { problem: 'the alert has no bounds: those by anomaly detection are not supported' };
  const { snoozed_until: until, ...rest } = body;
  const isSnoozed = typeof until === 'string' && !Number.isNaN(Date.parse(until));
  return {
    body: {
      ...rest,
      ...(isSnoozed ? { snoozed_until: until } : {}),
      insight: found,
      threshold: { configuration: configuration ?? {} },
    },
    changes,
  };
}
