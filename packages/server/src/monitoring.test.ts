import { readFile } from 'node:fs/promises';
import { type Service, startService } from '@tidemark/testkit';
import type { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { startTestService, type TestService } from './testing/service.js';

/*
 * The alert rules and the dashboard of docs/monitoring over the metrics of a running service.
 */

const FOLDER = new URL('../../../docs/monitoring/', import.meta.url);
let service: Service;
/** Types of the metrics, by name. */
let metrics: Map<string, string>;

beforeAll(async () => {
  service = await startService();
  const { body } = await service.call('GET', '/metrics', { key: null });
  metrics = new Map([...String(body).matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]));
});
afterAll(() => service?.close());

/** The expressions of a file, however deep. */
function expressionsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === 'expr' ? [String(inner)] : expressionsIn(inner)));
}

/** Names of the metrics that an expression of PromQL reads. */
const namesIn = (expression: string): string[] =>
  expression.replace(/\{[^}]*\}|"[^"]*"/g, '').match(/\b(?:tidemark|nodejs|process)_\w+/g) ?? [];

/** Whether the service has a metric; histograms are read by their parts. */
const exists = (name: string): boolean =>
  metrics.has(name) || metrics.get(name.replace(/_(bucket|sum|count)$/, '')) === 'histogram';

test.each<[string, (text: string) => unknown, number]>([
  ['tidemark-alerts.yaml', parse, 10],
  ['tidemark-dashboard.json', JSON.parse, 12],
])('every metric that %s names exists', async (file, read, least) => {
  const expressions = expressionsIn(read(await readFile(new URL(file, FOLDER), 'utf8')));
  expect(expressions.length).toBeGreaterThanOrEqual(least);
  const names = expressions.flatMap(namesIn);
  expect(names.length).toBeGreaterThanOrEqual(least);
  expect(names.filter((name) => !exists(name))).toEqual([]);
});

const FILES: [string, (text: string) => unknown][] = [
  ['tidemark-alerts.yaml', parse],
  ['tidemark-dashboard.json', JSON.parse],
];
/** Labels that Prometheus adds, and that of the buckets of a histogram. */
const ADDED = ['instance', 'job', 'le'];

/** The labels of a metric by its name, which may be that of a part of a histogram. */
function labelsOf(registry: Registry, name: string): string[] {
  const metric = registry.getSingleMetric(name) ?? registry.getSingleMetric(name.replace(/_(bucket|sum|count)$/, ''));
  // not in its type
  return [...ADDED, ...((metric as { labelNames?: string[] } | undefined)?.labelNames ?? [])];
}

describe('labels', () => {
  let tried: TestService;
  beforeAll(async () => {
    tried = await startTestService();
    const body = { query: { kind: 'HogQLQuery', query: 'select count() from events' } };
    await tried.call('POST', `/api/projects/${tried.projectId}/query/`, { body });
    await tried.call('POST', '/flags/?v=2', { key: null, body: { api_key: tried.projectKey, distinct_id: 'ann' } });
  });
  afterAll(() => tried?.close());

  const groupsIn = (expression: string) =>
    [...expression.matchAll(/\bby \(([^)]*)\)/g)].map(([, labels = '']) => labels.split(/,\s*/));

  test('that the files name are those of their metrics, with values that they have', async () => {
    // results of background work that may not have happened, and the answers of a service that is not well
    const others = ['result="ok"', 'result="failed"', 'status="500"', 'status="503"'];
    const known = [await tried.deps.metrics.metrics(), ...others].join();
    let [matched, grouped] = [0, 0];
    for (const [file, read] of FILES) {
      for (const expression of expressionsIn(read(await readFile(new URL(file, FOLDER), 'utf8')))) {
        for (const [, name = '', matchers = ''] of expression.matchAll(/\b(tidemark_\w+)\{([^}]*)\}/g)) {
          for (const [matcher, label = '', operator] of matchers.matchAll(/(\w+)(=~|!=|=)"[^"]*"/g)) {
            matched += 1;
            expect(labelsOf(tried.deps.metrics, name), expression).toContain(label);
            if (operator !== '=~') expect(known, expression).toContain(matcher.replace('!=', '='));
          }
        }
        for (const labels of groupsIn(expression)) {
          grouped += 1;
          const all = namesIn(expression).flatMap((name) => labelsOf(tried.deps.metrics, name));
          expect(all, expression).toEqual(expect.arrayContaining(labels));
        }
      }
    }
    expect([matched > 20, grouped > 15]).toEqual([true, true]);
  });

  test('that the sentence of an alert names are left by its expression', async () => {
    const { groups } = parse(await readFile(new URL('tidemark-alerts.yaml', FOLDER), 'utf8'));
    let named = 0;
    for (const { expr, annotations } of groups[0].rules) {
      const [by] = groupsIn(expr);
      const isWithoutLabels = /\b(max|min|absent|sum)\(/.test(expr);
      const left = isWithoutLabels ? [] : namesIn(expr).flatMap((name) => labelsOf(tried.deps.metrics, name));
      for (const [, label = ''] of annotations.summary.matchAll(/\$labels\.(\w+)/g)) {
        named += 1;
        expect(by ?? [...left, ...(expr.startsWith('up{') ? ADDED : [])], expr).toContain(label);
      }
    }
    expect(named).toBeGreaterThan(10);
  });
});

test('an alert has a name, a severity and a sentence', async () => {
  const { groups } = parse(await readFile(new URL('tidemark-alerts.yaml', FOLDER), 'utf8'));
  for (const rule of groups[0].rules) {
    expect(rule).toMatchObject({
      alert: expect.stringMatching(/^Tidemark\w+$/),
      labels: { severity: expect.stringMatching(/^(page|ticket)$/) },
      annotations: { summary: expect.stringMatching(/\.$/) },
    });
  }
});
