import { expect, test } from 'vitest';
import { costOf } from './statements.js';

const statement = (took: number, processor?: number) => ({ sql: '', ...(processor === undefined ? {} : { processor }), took });

test.each([
  [
    'the processor time of the statements, however long they waited',
    costOf([statement(5_000, 40), statement(900, 60)], 5_900),
    100,
  ],
  ['a bounded part of the time beside statements', costOf([statement(100, 40)], 9_000), 140],
  ['the whole of a short time beside statements', costOf([statement(100, 40)], 130), 70],
  ['what it took, where the processor time of a statement is unknown', costOf([statement(100, 40), statement(700)], 800), 800],
])('a computation costs %s', (_, cost, expected) => {
  expect(cost).toBe(expected);
});
