import { expect, test } from 'vitest';
import { csv } from '../spreadsheet/csv.js';
import { pickColumns, withNote } from '../spreadsheet/sheet.js';
import { responseSheet } from './sheets.js';

const results = [
  { id: 1, of: { name: 'a', tags: ['x', 'y'] } },
  { id: 2, of: { name: 'b', tags: [] } },
];

test.each([
  [null, ''],
  ['/api/projects/1/insights/?offset=2', 'Cut after 2 rows: there are more.\r\n'],
])('rows beyond %s are counted below the last row', async (next, end) => {
  const sheet = pickColumns(responseSheet('Export', { count: 5, next, results }), ['of.name', 'of.tags']);
  let text = '';
  for await (const part of csv([withNote(sheet)])) text += part.toString();
  expect(text).toBe(`of.name,of.tags\r\na,"x, y"\r\nb,\r\n${end}`);
});
