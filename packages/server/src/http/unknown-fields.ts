import { z } from 'zod';
import { ApiError } from '../kernel/errors.js';
import { isObject } from '../kernel/json.js';

/*
 * The rule for fields and parameters that a schema does not know. They are ignored, as PostHog does, unless their names suggest that they
 * narrow the result or the target. Then the request is refused, because clients would assume that the response honours them. Empty values
 * (null, false, "", [], {}) narrow nothing. Neither do fields of responses, which clients send back.
 */

/** Words in names of fields that narrow a result or a target. */
const NARROWING: ReadonlySet<string> = new Set(
  [
    'filter filters filtering target targets targeting audience condition conditions criteria rule rules where match matching',
    'date dates from before after since until start starts end ends expires expiry expiration expire ttl schedule scheduled scheduling',
    'interval period duration window frequency days hours minutes iteration iterations recurrence',
    'limit limits max min maximum minimum quota sample sampling rollout percentage rate offset threshold cap',
    'group groups cohort cohorts person persons people user users member members role roles email emails distinct actor actors',
    'account accounts domain domains url urls path host device devices country language locale platform os browser session sessions',
    'event events action actions property properties flag flags variant variants breakdown breakdowns series query queries',
    'search scope scopes type types kind status stage only include included exclude excluded exclusion ignore ignored ignoring hide hidden private public',
    'drop dropped skip skipped suppress suppressed suppression omit omitted',
    'restrict restricted restriction allow allowed allowlist deny denied block blocked blocklist ids iteration holdout experiment',
    'experiments survey surveys dashboard dashboards insight insights tile tiles archived deleted enabled disabled active recipients',
    'recipient subscribers permission permissions access level mask masking retention opt',
  ].flatMap((words) => words.split(' ')),
);
/** More such words in names of query parameters, which filter lists by fields of their items. */
const NARROWING_PARAMETERS: ReadonlySet<string> = new Set(
  'id key name tag tags by created updated modified author owner ordering sort order'.split(' '),
);

/** Read-only fields of responses of this API or PostHog. */
const DESCRIPTIVE: ReadonlySet<string> = new Set(
  [
    'team team_id created_at created_by updated_at updated_by last_modified_at last_modified_by last_updated_at last_accessed_at',
    'last_viewed_at last_called_at last_seen_at last_calculation user_access_level access_control_version effective_restriction_level',
    'effective_privilege_level cache_target_age types query_status persisted_filters persisted_variables quick_filter_ids',
    'resolved_date_range _create_in_folder explicitDate yAxisScaleType detailedResultsAggregationType confidenceLevel minDecimalPlaces',
    'dashboardDisplay breakdownSorting meanRetentionCalculation retentionReference selectedInterval suppressSessionAnalysisWarning',
    'propertiesViaUrl allowSorting excludeBoxPlotOutliers',
  ].flatMap((names) => names.split(' ')),
);

/** Parameters of all paths: credentials, response format, cache busting. */
const COMMON_PARAMETERS: ReadonlySet<string> = new Set(['personal_api_key', 'sharing_access_token', 'format', 'basic', '_']);
/** Parameters of paginated lists. */
const PAGE_PARAMETERS: ReadonlySet<string> = new Set(['limit', 'offset', 'cursor', 'page', 'page_size']);

/** @throws ApiError invalid_input, naming the first unknown field of a body that narrows */
export function rejectUnknownFields(schema: z.ZodType, body: unknown, answer?: z.ZodType): void {
  const path = unknownField(
    schema,
    body,
    (name, depth) => depth === 0 && (name === 'personal_api_key' || (answer !== undefined && keysOf(answer).has(name))),
  );
  if (path) throw new ApiError('invalid_input', 'This field is not supported.', path.join('__'));
}

/** @throws ApiError invalid_input, naming the first unknown parameter that narrows */
export function rejectUnknownParameters(schema: z.ZodObject | undefined, query: unknown, answer: z.ZodType | undefined): void {
  if (!isObject(query)) return;
  const isPage = answer !== undefined && keysOf(answer).has('next');
  for (const [name, value] of Object.entries(query)) {
    if (schema && name in schema.shape) continue;
    if ([value].flat().every((one) => one === '') || COMMON_PARAMETERS.has(name) || (isPage && PAGE_PARAMETERS.has(name)))
      continue;
    if (!wordsOf(name).some((word) => NARROWING.has(word) || NARROWING_PARAMETERS.has(word))) continue;
    throw new ApiError('invalid_input', 'This parameter is not supported.', name);
  }
}

type Tolerates = (name: string, depth: number) => boolean;

/**
 * Path to the first narrowing field that a schema would drop from a value, including nested lists and objects; null if there is none. The
 * value must match the schema.
 * Skips schemas that keep unknown fields (`looseObject`, `object()`) or parse a value themselves.
 */
export function unknownField(
  schema: z.core.$ZodType,
  value: unknown,
  tolerates: Tolerates = () => false,
  depth = 0,
): string[] | null {
  if (typeof value !== 'object' || value === null) return null;
  const inner = (next: z.core.$ZodType) => unknownField(next, value, tolerates, depth);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return inner(schema.def.innerType);
  if (schema instanceof z.ZodLazy) return inner(schema.def.getter());
  if (schema instanceof z.ZodPipe) return inner(schema.def.in instanceof z.ZodTransform ? schema.def.out : schema.def.in);
  if (schema instanceof z.ZodUnion) {
    const option = optionOf(schema, value);
    return option ? inner(option) : null;
  }
  if (schema instanceof z.ZodArray) {
    if (!Array.isArray(value)) return null;
    for (const [index, item] of value.entries()) {
      const path = unknownField(schema.def.element, item, tolerates, depth + 1);
      if (path) return [String(index), ...path];
    }
    return null;
  }
  if (!(schema instanceof z.ZodObject) || !isObject(value)) return null;
  const shape: Record<string, z.core.$ZodType> = schema.def.shape;
  for (const [name, member] of Object.entries(value)) {
    const known = Object.hasOwn(shape, name) ? shape[name] : undefined;
    const isDropped = !known && !schema.def.catchall && narrows(name, member) && !tolerates(name, depth);
    const path = known ? unknownField(known, member, tolerates, depth + 1) : isDropped ? [] : null;
    if (path) return [name, ...path];
  }
  return null;
}

/** Whether an unknown field narrows a result or a target, by its name and value. */
const narrows = (name: string, value: unknown): boolean =>
  !isEmpty(value) && !DESCRIPTIVE.has(name) && !OF_DISPLAY.test(name) && wordsOf(name).some((word) => NARROWING.has(word));

/** Names of display options of insights. */
const OF_DISPLAY = /^(show|hide|hidden|pinned)[A-Z]/;

/** `date_from`, `dateFrom` and `date-from`: date, from. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);

/** The option of a union that a value matches, by the discriminator or the kind of value if that is enough. */
function optionOf({ def }: z.ZodUnion, value: object): z.core.$ZodType | undefined {
  const discriminator = 'discriminator' in def ? String(def.discriminator) : undefined;
  if (discriminator !== undefined && isObject(value)) {
    const choice = value[discriminator];
    return def.options.find((option) => option._zod.propValues?.[discriminator]?.has(choice as z.core.util.Primitive));
  }
  const options = def.options.filter((option) => canBe(option, value));
  return options.length === 1 ? options[0] : options.find((option) => z.safeParse(option, value).success);
}

/** Whether a list or an object may match a schema, judging by the kind of schema only. */
function canBe(schema: z.core.$ZodType, value: object): boolean {
  if (schema instanceof z.ZodArray) return Array.isArray(value);
  if (schema instanceof z.ZodObject) return isObject(value);
  return !PLAIN.some((plain) => schema instanceof plain);
}

/** Schemas that no list or object matches. */
const PLAIN = [z.ZodUndefined, z.ZodNull, z.ZodLiteral, z.ZodEnum, z.ZodString, z.ZodNumber, z.ZodBoolean];

function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === false || value === '';
}

const keysBySchema = new WeakMap<z.core.$ZodType, ReadonlySet<string>>();

/** Names of the fields that objects of a schema may have. */
function keysOf(schema: z.core.$ZodType): ReadonlySet<string> {
  const known = keysBySchema.get(schema);
  if (known) return known;
  const keys = new Set(listKeys(schema));
  keysBySchema.set(schema, keys);
  return keys;
}

function listKeys(schema: z.core.$ZodType): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.def.shape);
  if (schema instanceof z.ZodPipe) return listKeys(schema.def.in);
  return schema instanceof z.ZodUnion ? schema.def.options.flatMap(listKeys) : [];
}
