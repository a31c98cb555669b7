import { expect, test } from 'vitest';
import type { ExportContext } from '../data/export-data.js';
import { buildSnapshot } from './snapshot.js';

const project = { name: 'Northwind', timezone: 'UTC' } as ExportContext['project'];

test('pictures and documents name the columns of SQL as public pages do', () => {
  const query = { kind: 'DataTableNode', source: { kind: 'HogQLQuery', query: 'select 1' } };
  const answer = { columns: ['plan', 'last_seen'], results: [['free', 1]] };
  const tile = { insightId: null, title: 'Plans', note: '', place: null, content: { kind: 'answer' as const, query, answer } };
  const data = { kind: 'dashboard' as const, title: null, note: '', filters: {}, annotations: [], tiles: [tile] };
  const { tiles } = buildSnapshot({ now: 0, project }, data, 'light');
  expect(tiles[0]?.content).toMatchObject({ insight: { columns: ['Plan', 'Last seen'] } });
});
