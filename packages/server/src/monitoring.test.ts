import { readFile } from 'node:fs/promises';
import { type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';

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
