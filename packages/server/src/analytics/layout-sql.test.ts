import { expect, test } from 'vitest';
import { layoutSql } from './layout-sql.js';

test('clauses stand on lines of their own, subqueries are indented, and values are in their places', () => {
  const sql = `select count() as n, trim(both ' ' from e.event) as name from (select * from events
    where project_id = {p0:Int32} and event in {p1:Array(String)}) as e global any left join (select 1) as o on o.a = e.a where e.event = {p2:String} group by name`;
  expect(layoutSql(sql, { p0: 7, p1: ['a', "it's"], p2: 'back\\slash' })).toBe(
    [
      "select count() as n, trim(both ' ' from e.event) as name",
      'from (',
      '  select *',
      '  from events',
      "  where project_id = 7 and event in ['a', 'it\\'s']",
      ') as e',
      'global any left join (',
      '  select 1',
      ') as o on o.a = e.a',
      "where e.event = 'back\\\\slash'",
      'group by name',
    ].join('\n'),
  );
});

test('what looks like a placeholder in a text or a name stays', () => {
  const sql = 'select \'{p0:String}\', `{p0:String}`, "{p0:String}", {p0:String}';
  expect(layoutSql(sql, { p0: 'x' })).toBe("select '{p0:String}', `{p0:String}`, \"{p0:String}\", 'x'");
});

test('of a long list the first values are shown', () => {
  const ids = Array.from({ length: 1_000 }, (_, index) => index);
  expect(layoutSql('select {p0:Array(Int64)}', { p0: ids })).toBe(`select [${ids.slice(0, 20).join(', ')} /* and 980 more */]`);
});

test('null, numbers and booleans are no texts', () => {
  expect(layoutSql('select {a:String}, {b:Float64}, {c:Bool}', { a: null, b: 1.5, c: true })).toBe('select null, 1.5, true');
});
