import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { choicesOf } from '../../testing/schema-members.js';
import { actorsSchema } from '../kinds/actors/actors-schema.js';
import { experimentQuerySchema } from '../kinds/experiment/experiment-query.js';
import { SCHEMAS } from '../query.js';

/*
 * Every choice that a query has, such as each math, order and interval, stands in a worked example. People behind points are
 * compared with the points of all kinds instead, in points.test.ts; experiments have published examples in their results.test.ts.
 */

const HELPERS = join(import.meta.dirname, '../../testing');

/** What holds where a query says nothing: every other example is one of it. */
const DEFAULTS = [
  'math: total',
  'math_property_type: event_properties',
  'interval: day',
  'funnelVizType: steps',
  'retentionType: retention_recurring',
  'period: Day',
  'timeWindowMode: strict_calendar_dates',
  'computedAs: non_cumulative',
];

test.each(
  SCHEMAS.filter((schema) => schema !== actorsSchema && schema !== experimentQuerySchema).map(
    (schema) => [schema.meta()?.id, schema] as const,
  ),
)('each option of %s has an example', async (_, schema) => {
  const names = (await readdir(import.meta.dirname)).filter((name) => name !== 'coverage.test.ts');
  const files = [
    ...names.map((name) => join(import.meta.dirname, name)),
    ...['examples.ts', 'worked-examples.ts'].map((name) => join(HELPERS, name)),
  ];
  const text = (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
  // as the value of the member, in a list there, or as the first cell of a table of examples
  const isThere = (member: string, choice: string) =>
    new RegExp(`(\\b${member}: (\\[([^\\]]*, )?)?|^ *\\[)'${choice.replaceAll('$', '\\$')}'`, 'm').test(text);
  const missing = [...choicesOf(schema)].flatMap(([member, choices]) =>
    // which of its lines a lifecycle shows changes none of their numbers
    member === 'toggledLifecycles'
      ? []
      : [...choices].filter((choice) => choice !== '' && !isThere(member, choice)).map((choice) => `${member}: ${choice}`),
  );
  expect(missing.filter((choice) => !DEFAULTS.includes(choice))).toEqual([]);
});
