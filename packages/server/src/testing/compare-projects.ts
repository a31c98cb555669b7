import { expect } from 'vitest';
import type { TestService } from './service.js';

/** What differs between two copies for good reasons: numbers, people who made it, times of making. */
const OWN = new Set([
  'id',
  'uuid',
  'short_id',
  'created_at',
  'updated_at',
  'last_modified_at',
  'last_modified_by',
  'created_by',
  'version',
  'api_token',
  'result',
  'last_refresh',
  'dashboards',
  'dashboard_tiles',
  'cohort',
  'user',
  'last_calculation',
  'last_calculated_at',
  'next_allowed_client_refresh',
  'cache_target_age',
  'query_status',
  'access_token',
  'insight_id',
  'internal_targeting_flag',
  'targeting_flag_id',
  'linked_flag_id',
  'feature_flag_id',
  'dashboard_id',
  'dashboard_item',
  'experiment_set',
  'surveys',
  'features',
  'last_accessed_at',
  'alerts',
  'rollback_conditions',
  'insight_short_id',
  'variableId',
  'last_viewed_at',
  'last_called_at',
  'usage_dashboard',
  'pinned_at',
  'feature_flag',
  'timings',
  'clickhouse',
  'is_cached',
]);

/** Numbers of other objects become their names, so that two copies compare. */
function comparable(value: unknown, names: Map<string, string>): unknown {
  if (Array.isArray(value)) return value.map((one) => comparable(one, names));
  // the flag of a survey is named after its uuid
  if (typeof value === 'string') return value.replace(/^survey-targeting-.*/, 'survey-targeting');
  if (typeof value !== 'object' || value === null) return value;
  const object = value as Record<string, unknown>;
  const shown = Object.entries(object)
    .filter(([key]) => !OWN.has(key))
    .map(([key, inner]) => {
      const refers =
        key === 'value' && object['type'] === 'cohort'
          ? 'cohorts'
          : key === 'key' && object['type'] === 'flag'
            ? 'feature_flags'
            : null;
      if (refers) return [key, names.get(`${refers} ${inner}`)];
      if (key === 'breakdown' && object['breakdown_type'] === 'cohort')
        return [key, (inner as unknown[]).map((id) => names.get(`cohorts ${id}`) ?? id)];
      return [key, comparable(inner, names)];
    });
  if (object['kind'] === 'ActionsNode') shown.push(['action', names.get(`actions ${object['id']}`)]);
  return Object.fromEntries(shown);
}

const LISTS = [
  'cohorts',
  'actions',
  'insight_variables',
  'feature_flags',
  'experiments',
  'surveys',
  'early_access_feature',
  'insights',
  'annotations',
  'groups_types',
];

/** Everything of a project, comparable. */
export async function everything(service: TestService) {
  const get = async (path: string) => {
    const response = await service.call('GET', `/api/projects/@current/${path}`);
    expect([response.statusCode, response.body]).toEqual([200, expect.anything()]);
    return response.json();
  };
  const names = new Map<string, string>();
  const lists: Record<string, { name?: string; key?: string; id: number }[]> = {};
  for (const list of LISTS) {
    const page = await get(
      list === 'groups_types' ? `${list}/` : `${list}/?limit=500${list === 'insights' ? '&saved=true' : ''}`,
    );
    lists[list] = page.results ?? page;
    for (const one of lists[list] ?? []) names.set(`${list} ${one.id}`, one.key ?? one.name ?? '');
  }
  const byName = (list: unknown[]) =>
    list
      .map((one) => JSON.stringify(one))
      .sort()
      .map((one) => JSON.parse(one));
  const shown = Object.fromEntries(
    Object.entries(lists).map(([list, objects]) => [list, byName(comparable(objects, names) as unknown[])]),
  );
  const [cohort] = lists['cohorts']?.filter((one) => one.name === 'Interviewed') ?? [];
  const members = (await get(`cohorts/${cohort?.id}/persons/`)).results.map((one: { name: string }) => one.name).sort();
  const [board] = (await get('dashboards/')).results;
  const dashboard = comparable(await get(`dashboards/${board.id}/`), names);
  const persons = [];
  for (let offset = 0; ; offset += 500) {
    const { results, next } = await get(`persons/?limit=500&offset=${offset}`);
    persons.push(
      ...results.map(({ distinct_ids, properties, created_at, is_identified }: Record<string, unknown>) => ({
        distinct_ids: [...(distinct_ids as string[])].sort(),
        properties,
        created_at,
        is_identified,
      })),
    );
    if (!next) break;
  }
  const groups = (await get('groups/?group_type_index=0')).results;
  const { timezone, week_start_day, test_account_filters } = await get('');
  const definitions = (await get('event_definitions/?search=nobody')).results.map(
    ({ name, description, verified, tags }: Record<string, unknown>) => ({ name, description, verified, tags }),
  );
  const settings = comparable({ timezone, week_start_day, test_account_filters }, names);
  return { ...shown, members, dashboard, persons: byName(persons), groups, definitions, settings };
}

/** Count and hash of all events with all their columns, by name. */
export async function eventSums(service: TestService, until: string | null = null) {
  const where = until === null ? '' : `where toUnixTimestamp64Milli(timestamp) < ${Date.parse(`${until}T00:00:00Z`)}`;
  const query = `select event, count(), groupBitXor(cityHash64(toString(uuid), event, distinct_id, toUnixTimestamp64Milli(timestamp), elements_chain, \`$group_0\`, toString(properties))) from events ${where} group by event order by event`;
  const response = await service.call('POST', '/api/projects/@current/query/', {
    body: { query: { kind: 'HogQLQuery', query } },
  });
  expect([response.statusCode, response.body]).toEqual([200, expect.anything()]);
  return response.json().results;
}
