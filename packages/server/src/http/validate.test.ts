import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isObject, type Json, type JsonObject } from '../kernel/json.js';
import { startTestService, type TestService } from '../testing/service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const read = async (url: string) => {
  const { statusCode, body } = await service.call('GET', url);
  // links repeat what was asked for
  return { status: statusCode, body: body.replaceAll(/"(next|previous)":"[^"]*"/g, '') };
};

interface Parameter {
  name: string;
  required?: boolean;
  schema: JsonObject;
}

const parametersOf = (operation: unknown): Parameter[] =>
  isObject(operation) && Array.isArray(operation['parameters'])
    ? (operation['parameters'] as Json[])
        .filter(isObject)
        .flatMap(({ name, required, schema, ...rest }) =>
          rest['in'] === 'query' && isObject(schema) ? [{ name: String(name), required: required === true, schema }] : [],
        )
    : [];

/** A value that the parameter takes. */
function valueFor({ schema }: Parameter): string {
  const first = Array.isArray(schema['enum']) ? schema['enum'][0] : undefined;
  if (first !== undefined) return String(first);
  if (schema['format'] === 'uuid') return '018f4d3c-0000-7000-8000-000000000001';
  return { integer: '1', number: '1', boolean: 'true' }[String(schema['type'])] ?? '';
}

/** A response without the instant from which a retention keeps things, which follows the clock. */
const withoutNow = (response: unknown): string => JSON.stringify(response).replace(/kept_from\\":\\"[^"]+/g, '');

test('of a repeated parameter every list uses the last value, unless it accepts lists', async () => {
  const description = (await service.call('GET', '/api/schema/', { key: null })).json();
  const differences: string[] = [];
  let compared = 0;
  for (const [path, operations] of Object.entries<JsonObject>(description.paths)) {
    const url = path.replace('{project_id}', '@current').replace('{organization_id}', '@current');
    if (!url.startsWith('/api/') || url.includes('{')) continue;
    // an event stream has no end to compare
    if (JSON.stringify(operations['get'] ?? {}).includes('text/event-stream')) continue;
    const parameters = parametersOf(operations['get']);
    const needed = parameters.filter(({ required }) => required);
    for (const parameter of parameters.filter(({ schema }) => schema['type'] !== 'array')) {
      const others = needed.filter((one) => one !== parameter).map((one) => `${one.name}=${valueFor(one) || 'a'}`);
      const value = `${parameter.name}=${valueFor(parameter) || 'a'}`;
      const once = await read(`${url}?${[...others, value].join('&')}`);
      const twice = await read(`${url}?${[...others, `${parameter.name}=something`, value].join('&')}`);
      compared += 1;
      if (withoutNow(twice) !== withoutNow(once)) differences.push(`${url} ${value}: ${twice.status} ${twice.body}`);
    }
  }
  expect(differences).toEqual([]);
  expect(compared).toBeGreaterThan(60);
});

describe('a parameter that accepts lists', () => {
  const FLAGS = '/api/projects/@current/feature_flags/';
  const found = async (query: string) => {
    const answer = (await service.call('GET', `${FLAGS}?${query}`)).json();
    return answer.results.map(({ key }: { key: string }) => key).sort();
  };
  beforeAll(async () => {
    for (const key of ['one', 'two', 'three']) {
      const made = await service.call('POST', FLAGS, { body: { key, tags: [`tag-${key}`] } });
      expect(made.statusCode).toBe(201);
    }
  });

  test.each([
    ['tags=tag-one&tags=tag-two', ['one', 'two']],
    ['tags=tag-one,tag-three', ['one', 'three']],
    [`tags=${encodeURIComponent('["tag-two"]')}`, ['two']],
    ['tags=', ['one', 'three', 'two']],
  ])('%s', async (query, keys) => {
    expect(await found(query)).toEqual(keys);
  });

  test('it is documented as a list', async () => {
    const { paths } = (await service.call('GET', '/api/schema/', { key: null })).json();
    const path = Object.keys(paths).find((one) => one.endsWith('/feature_flags/')) ?? '';
    const schemas = parametersOf(paths[path].get).map(({ name, schema }) => [name, schema]);
    expect(Object.fromEntries(schemas)).toMatchObject({
      tags: { type: 'array', items: { type: 'string' } },
      created_by_id: { type: 'array', items: { type: 'integer' } },
    });
  });
});
