import { expect, test } from 'vitest';
import { faultPosition, lineAndColumn } from './fault-position.js';

test('an error stands where its position says', () => {
  const sql = 'select event\nfrom events\ngroup event';
  expect(faultPosition(sql, '"event" is not allowed at position 32.')).toEqual({ from: 31, to: 36 });
  expect(lineAndColumn(sql, 31)).toEqual({ line: 3, column: 7 });
});

test('an error without a position stands at the name that it quotes, as a whole word', () => {
  const sql = 'select subplan, plan from events';
  expect(faultPosition(sql, '"plan" is not a column.')).toEqual({ from: 16, to: 20 });
  expect(faultPosition(sql, '"nothing" is not a column.')).toBeNull();
  expect(faultPosition(sql, 'The query takes too long.')).toBeNull();
});

test('a text that ends too early is wrong at its end', () => {
  expect(faultPosition('select \n', 'The query ends too early.')).toEqual({ from: 5, to: 6 });
  expect(faultPosition('  ', 'The query ends too early.')).toBeNull();
});
