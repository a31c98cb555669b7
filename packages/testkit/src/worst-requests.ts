import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { answers, changes, recordings } from './worst-changes.js';
import { captured, JSON_TYPE, json, MIB, times, type WorstRequest, worstQuery } from './worst-request.js';
import { WORST_STATEMENTS } from './worst-statements.js';

export type { WorstRequest } from './worst-request.js';

/** The worst known request to each parser of the service. `projectKey`: key of an existing project. */
export function worstRequests(projectKey: string): WorstRequest[] {
  return [
    ...statements(),
    ...queries(),
    ...objects(),
    ...captures(projectKey),
    ...changes(projectKey),
    ...recordings(projectKey),
    ...answers(projectKey),
    ...questions(projectKey),
    ...addresses(),
  ];
}

const statements = (): WorstRequest[] =>
  Object.entries(WORST_STATEMENTS).map(([name, query]) => worstQuery(`SQL: ${name}`, { kind: 'HogQLQuery', query }));

const EVENT = { kind: 'EventsNode', event: '$pageview' };
const trends = (more: object) => ({ kind: 'TrendsQuery', series: [EVENT], ...more });
const filter = (more: object) => ({ type: 'event', key: '$browser', operator: 'exact', value: 'a', ...more });
const expression = (key: string) => ({ type: 'hogql', key });
const nested = (levels: number, innermost: object): object =>
  times(levels, () => 0).reduce((inner: object) => ({ type: 'AND', values: [inner] }), innermost);

function queries(): WorstRequest[] {
  const list = 'x'.repeat(900);
  return [
    worstQuery('SQL: a long list of values, named often', {
      kind: 'HogQLQuery',
      query: `select ${times(2_000, () => '{v}').join()}`,
      values: { v: times(1_000, (index) => index) },
    }),
    worstQuery('SQL: a long text, named often', {
      kind: 'HogQLQuery',
      query: `select ${times(2_000, () => '{v}').join()}`,
      values: { v: 'x'.repeat(MIB) },
    }),
    worstQuery('formula: parts', trends({ trendsFilter: { formula: `A${'+A'.repeat(99)}` } })),
    worstQuery('formula: brackets', trends({ trendsFilter: { formula: `${'('.repeat(100_000)}A` } })),
    worstQuery('formula: blanks', trends({ trendsFilter: { formula: `A ${' '.repeat(MIB)}!` } })),
    worstQuery('formula: digits', trends({ trendsFilter: { formula: `A + ${'9'.repeat(MIB)}` } })),
    worstQuery('filters: levels', trends({ properties: nested(2_000, filter({})) as object })),
    worstQuery('filters: allowed levels', trends({ properties: nested(9, filter({})) })),
    worstQuery('filters: many', trends({ properties: times(190, (index) => filter({ key: `a.b.c.d.e.f${index}` })) })),
    worstQuery('filters: too many', trends({ properties: times(50_000, (index) => filter({ key: `a${index}` })) })),
    worstQuery('filters: many values', trends({ properties: [filter({ value: times(10_000, (index) => `${list}${index}`) })] })),
    worstQuery(
      'filters: patterns',
      trends({ properties: times(190, (index) => filter({ operator: 'regex', value: `(a*)*${index}` })) }),
    ),
    worstQuery('filters: dots', trends({ properties: times(200, () => filter({ key: `${'a.'.repeat(199)}a` })) })),
    worstQuery(
      'filters: versions',
      trends({ properties: times(100, () => filter({ operator: 'semver_gt', value: '1.'.repeat(50_000) })) }),
    ),
    worstQuery(
      'filters: dates',
      trends({ properties: times(100, () => filter({ operator: 'is_date_before', value: `-${'9'.repeat(50_000)}d` })) }),
    ),
    worstQuery(
      'selector: parts',
      trends({ properties: [{ type: 'element', key: 'selector', operator: 'exact', value: `${'a > '.repeat(19)}a` }] }),
    ),
    worstQuery(
      'selector: escapes',
      trends({ properties: [{ type: 'element', key: 'selector', operator: 'exact', value: `.${'\\.'.repeat(MIB / 4)}` }] }),
    ),
    worstQuery(
      'selector: blanks',
      trends({ properties: [{ type: 'element', key: 'selector', operator: 'exact', value: `a${' '.repeat(MIB)}` }] }),
    ),
    worstQuery(
      'selector: attributes',
      trends({ properties: [{ type: 'element', key: 'selector', operator: 'exact', value: '[a="b"]'.repeat(20_000) }] }),
    ),
    worstQuery('expressions: many', trends({ properties: times(190, () => expression('properties.a + 1 > 0 or '.repeat(4))) })),
    worstQuery('expressions: too many', trends({ properties: times(190, () => expression('a + '.repeat(2_000))) })),
    worstQuery('expressions: brackets', trends({ properties: [expression(`${'('.repeat(9_000)}a`)] })),
    worstQuery('expressions: selects', trends({ properties: [expression(`a in (${'select a from (select '.repeat(380)}`)] })),
    worstQuery(
      'expressions: series',
      trends({
        series: times(50, () => ({ ...EVENT, math: 'hogql', math_hogql: `${'sum(properties.b) + '.repeat(18)}1` })),
        breakdownFilter: { breakdown_type: 'hogql', breakdown: `${'properties.a + '.repeat(60)}1` },
      }),
    ),
    worstQuery(
      'expressions: breakdowns of the largest values',
      trends({
        breakdownFilter: { breakdowns: times(3, () => ({ type: 'hogql', property: `${'properties.a + '.repeat(400)}1` })) },
      }),
    ),
    worstQuery(
      'dates: all years by minutes',
      trends({ interval: 'minute', dateRange: { date_from: '0001-01-01', date_to: '9999-12-31' } }),
    ),
    worstQuery('dates: all years by days', trends({ dateRange: { date_from: '1970-01-01', date_to: '9999-12-31' } })),
    worstQuery('dates: stickiness of all years', {
      kind: 'StickinessQuery',
      series: [EVENT],
      dateRange: { date_from: '1970-01-01', date_to: '9999-12-31' },
    }),
    worstQuery('series: many', trends({ series: times(1_000, () => EVENT) })),
    worstQuery('paths: groupings', {
      kind: 'PathsQuery',
      pathsFilter: {
        pathGroupings: times(1_000, (index) => `/a/*/${index}`),
        localPathCleaningFilters: times(1_000, () => ({ regex: 'a', alias: 'b' })),
      },
    }),
    worstQuery('funnel: steps', { kind: 'FunnelsQuery', series: times(1_000, () => EVENT) }),
    worstQuery('events: columns', { kind: 'EventsQuery', select: times(200, (index) => `properties.a.b.c.d${index}`) }),
    worstQuery('events: long columns', {
      kind: 'EventsQuery',
      select: times(200, (index) => `properties.${'a.'.repeat(400)}${index}`),
    }),
    worstQuery('events: order', {
      kind: 'EventsQuery',
      select: ['*'],
      orderBy: times(200, (index) => `properties.a${index}   desc`),
    }),
  ];
}

const cohort = (name: string, values: unknown[]): WorstRequest => ({
  name,
  method: 'POST',
  path: '/api/environments/@current/cohorts/',
  as: 'personal',
  ...json({ name: 'Worst', filters: { properties: { type: 'OR', values } } }),
});
const flag = (name: string, filters: object): WorstRequest => ({
  name,
  method: 'POST',
  path: '/api/environments/@current/feature_flags/',
  as: 'personal',
  ...json({ key: `worst-${name.replaceAll(/\W+/g, '-')}`, filters }),
});
const dashboard = (name: string, text: string): WorstRequest => ({
  name,
  method: 'POST',
  path: '/api/environments/@current/dashboards/',
  as: 'personal',
  ...json(text),
});
const behavior = (value: string) => ({
  type: 'behavioral',
  value,
  key: '$pageview',
  event_type: 'events',
  time_interval: 'day',
  time_value: 30,
  event_filters: times(30, (index) => filter({ key: `a.b${index}` })),
});

function objects(): WorstRequest[] {
  const person = (operator: string, value: unknown) => ({ type: 'person', key: 'email', operator, value });
  return [
    cohort('cohort: what people did', [{ type: 'AND', values: times(30, () => behavior('performed_event')) }]),
    cohort('cohort: values', [
      {
        type: 'AND',
        values: [
          person(
            'exact',
            times(10_000, (index) => `person${index}@example.com`),
          ),
        ],
      },
    ]),
    cohort('cohort: levels', [nested(2_000, person('exact', 'a'))]),
    flag('flag: patterns', { groups: times(50, () => ({ properties: [person('regex', `${'(a+)+'.repeat(60)}$`)] })) }),
    flag('flag: a long pattern', { groups: [{ properties: [person('regex', '(a|b)*'.repeat(50_000))] }] }),
    flag('flag: a repeated pattern', { groups: [{ properties: [person('regex', '((((a{1,100}){1,100}){1,100}){1,100})')] }] }),
    flag('flag: groups', { groups: times(5_000, () => ({ properties: [person('exact', 'a')], rollout_percentage: 10 })) }),
    flag('flag: variants', {
      groups: [],
      multivariate: { variants: times(5_000, (index) => ({ key: `v${index}`, rollout_percentage: 0 })) },
    }),
    dashboard('JSON: lists within lists', '['.repeat(1_000_000)),
    dashboard('JSON: objects within objects', '{"a":'.repeat(200_000)),
    dashboard('JSON: lists within lists, closed', `{"name":${'['.repeat(50_000)}${']'.repeat(50_000)}}`),
    dashboard('JSON: many lists', `{"tags":[${times(300_000, () => '[]').join()}]}`),
    dashboard('JSON: many texts', `{"tags":[${times(90_000, (index) => `"t${index}"`).join()}]}`),
    dashboard('JSON: many keys', `{${times(90_000, (index) => `"k${index}":1`).join()}}`),
    dashboard('JSON: many keys that are numbers', `{${times(90_000, (index) => `"${index * 7_919}":1`).join()}}`),
    dashboard('JSON: one key many times', `{${times(90_000, () => '"name":"a"').join()}}`),
    dashboard('JSON: a long text', `{"name":"${'x'.repeat(19 * MIB)}"}`),
    dashboard('JSON: a long text of escapes', `{"name":"${'\\u0041'.repeat(3 * MIB)}"}`),
    dashboard('JSON: a long text of long characters', `{"name":"${'💥'.repeat(4 * MIB)}"}`),
    dashboard('JSON: a long number', `{"name":${'1'.repeat(5 * MIB)}}`),
    dashboard('JSON: blanks', `${' '.repeat(19 * MIB)}{}`),
    dashboard('JSON: nothing ends', `{"name":"${'a'.repeat(5 * MIB)}`),
    { ...dashboard('form: many fields', '{}'), headers: form, body: Buffer.from('a=1&'.repeat(MIB)) },
    { ...dashboard('form: a long field', '{}'), headers: form, body: Buffer.from(`name=${'%41'.repeat(5 * MIB)}`) },
    {
      ...dashboard('multipart: many parts', '{}'),
      headers: multipart,
      body: Buffer.from(times(50_000, (index) => part(`a${index}`, 'x')).join('')),
    },
    { ...dashboard('multipart: a long part', '{}'), headers: multipart, body: Buffer.from(part('name', 'x'.repeat(15 * MIB))) },
    {
      ...dashboard('multipart: nothing but line ends', '{}'),
      headers: multipart,
      body: Buffer.from(`--x\r\n${'\r\n--'.repeat(3 * MIB)}`),
    },
  ];
}

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const multipart = { 'content-type': 'multipart/form-data; boundary=x' };
const part = (name: string, value: string): string => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

const encoded = (coding: string) => ({ ...JSON_TYPE, 'content-encoding': coding });

function captures(key: string): WorstRequest[] {
  const event = (properties: object | string, distinctId = 'a') =>
    `{"api_key":${JSON.stringify(key)},"event":"worst","distinct_id":"${distinctId}","properties":${typeof properties === 'string' ? properties : JSON.stringify(properties)}}`;
  const batch = (count: number, properties: (index: number) => object | string, distinctId?: string) =>
    Buffer.from(
      `{"api_key":${JSON.stringify(key)},"batch":[${times(count, (index) => event(properties(index), distinctId)).join()}]}`,
    );
  const zeros = Buffer.alloc(99 * MIB);
  const lists = Buffer.alloc(20 * MIB, '[');
  const manyEvents = batch(20_000, () => '{"a":1,"b":"text","c":{"d":[1,2,3]}}');
  return [
    captured('gzip: zeros', gzipSync(zeros), encoded('gzip')),
    captured('gzip: within gzip', gzipSync(gzipSync(zeros)), encoded('gzip')),
    captured('deflate: zeros', deflateSync(zeros), encoded('deflate')),
    captured('br: zeros', brotliCompressSync(zeros), encoded('br')),
    captured('br: white space', brotliCompressSync(Buffer.alloc(99 * MIB, ' ')), encoded('br')),
    captured('gzip: lists within lists', gzipSync(lists), encoded('gzip')),
    captured('gzip: many events', gzipSync(manyEvents), encoded('gzip')),
    captured('JSON of events: many events', manyEvents),
    captured('JSON of events: lists within lists', Buffer.from(event('['.repeat(900_000)))),
    captured('JSON of events: many keys', Buffer.from(event(`{${times(60_000, (index) => `"k${index}":1`).join()}}`))),
    captured('JSON of events: many lists', Buffer.from(event(`{"a":[${times(300_000, () => '[]').join()}]}`))),
    captured('JSON of events: deep', Buffer.from(event(`{"a":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`))),
    captured('JSON of events: a long text', Buffer.from(event(`{"a":"${'\\u0041'.repeat(150_000)}"}`))),
    captured('JSON of events: $set', Buffer.from(event(`{"$set":{${times(20_000, (index) => `"k${index}":${index}`).join()}}}`))),
    captured('JSON of events: groups', Buffer.from(event(`{"$groups":{${times(20_000, (index) => `"g${index}":"a"`).join()}}}`))),
    captured(
      'JSON of events: elements',
      Buffer.from(event({ $elements: times(5_000, () => ({ tag_name: 'a', attr__class: 'b c d' })) })),
    ),
    captured(
      'JSON of events: $set of many properties in many events',
      batch(200, (index) => ({ $set: Object.fromEntries(times(1_000, (key) => [`k${key}`, index])) }), 'changed often'),
    ),
    captured(
      'JSON of events: $set of a person of many properties in many events',
      batch(200, (index) => ({ $set: Object.fromEntries(times(index ? 1 : 10_000, (key) => [`k${key}`, index])) }), 'large'),
    ),
    captured(
      'JSON of events: elements of many events',
      batch(100, () => ({ $elements: times(1_500, (index) => ({ tag_name: 'a', attr__class: `b c d${index}` })) })),
    ),
    captured('JSON of events: a chain of elements', Buffer.from(event({ $elements_chain: 'a.b:text="\\"";'.repeat(50_000) }))),
    captured('base64: zeros', Buffer.from(`data=${gzipSync(zeros).toString('base64')}&compression=gzip-js`), form),
    captured('form: escapes', Buffer.from(`data=${'%7B'.repeat(5 * MIB)}`), form),
    captured('form: fields', Buffer.from('data&'.repeat(3 * MIB)), form),
    captured('lz64', Buffer.from(`data=${'N4Ig'.repeat(MIB)}&compression=lz64`), form),
    captured('lz64: what repeats itself', Buffer.from(`data=${'BwBw'.repeat(MIB)}&compression=lz64`), form),
    captured(
      'JSON of events: elements without anything',
      Buffer.from(event(`{"$elements":[${times(60_000, () => '{}').join()}]}`)),
    ),
    captured('JSON of events: classes', Buffer.from(event({ $elements: [{ attr__class: 'ab c '.repeat(150_000) }] }))),
    captured(
      'JSON of events: NUL in many values',
      Buffer.from(event(`{${times(40_000, (index) => `"k${index}":"\\u0000"`).join()}}`)),
    ),
    captured(
      'gzip: many large events',
      gzipSync(batch(15, () => `{${times(45_000, (index) => `"k${index}":1`).join()}}`)),
      encoded('gzip'),
    ),
    captured(
      'JSON of events: many types of groups in many events',
      batch(500, (event) => ({ $groups: Object.fromEntries(times(500, (index) => [`g${index} ${event}`, 'a'])) })),
    ),
  ];
}

function questions(token: string): WorstRequest[] {
  const flags = (name: string, more: string) =>
    captured(name, Buffer.from(`{"token":${JSON.stringify(token)},"distinct_id":"a",${more}}`), JSON_TYPE, '/flags/?v=2');
  return [
    flags('flags: properties', `"person_properties":{${times(20_000, (index) => `"k${index}":"a"`).join()}}`),
    flags('flags: a text for patterns', `"person_properties":{"email":"${'a'.repeat(400_000)}"}`),
    flags('flags: a text that patterns do not match', `"person_properties":{"email":"${'a'.repeat(6_000)}b"}`),
    flags('flags: levels', `"person_properties":{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`),
    flags('flags: words that are no JSON', `"person_properties":{"a":[${times(60_000, () => 'NaN').join()}]}`),
    flags('flags: groups', `"groups":{${times(15_000, (index) => `"g${index}":"a"`).join()}}`),
    flags('flags: wanted flags', `"flag_keys_to_evaluate":[${times(40_000, (index) => `"${index}"`).join()}]`),
    captured('flags: gzip', gzipSync(Buffer.alloc(99 * MIB)), encoded('gzip'), '/flags/?v=2'),
  ];
}

function addresses(): WorstRequest[] {
  const get = (name: string, path: string): WorstRequest => ({ name, method: 'GET', path, as: 'personal' });
  const list = '/api/environments/@current/dashboards/';
  return [
    get('address: many parameters', `${list}?${'a&'.repeat(7_000)}`),
    get('address: one parameter many times', `${list}?${'limit=1&'.repeat(1_800)}`),
    get('address: escapes', `${list}?search=${'%41'.repeat(4_500)}`),
    get('address: slashes', `/api${'/a'.repeat(7_000)}`),
    get('address: a list of JSON', `/api/environments/@current/events/?properties=${encodeURIComponent('['.repeat(4_000))}`),
    get('address: a cursor', `/api/environments/@current/persons/?cursor=${'A'.repeat(12_000)}`),
    get(
      'address: recordings',
      `/api/environments/@current/session_recordings/?session_ids=${encodeURIComponent(JSON.stringify(times(600, (index) => `s${index}`)))}`,
    ),
  ];
}
