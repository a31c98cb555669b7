import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { EventsStore } from '../../ports/events.js';
import { eventRow, personRow, project, token } from './rows.js';

/** Copies of whole rows, for backups and moves. */
export function copiesContract(store: () => EventsStore): void {
  test('what a snapshot has is copied as it was, whatever happens meanwhile', async () => {
    const { copies, insert, query } = store();
    const project_id = project();
    const rows = [
      eventRow({ project_id, timestamp: Date.UTC(2024, 1, 29, 12), properties: { 'a.b': 1, a: { b: [2, 'x'] }, big: 1e300 } }),
      eventRow({ project_id, timestamp: Date.UTC(2024, 1, 29, 13), properties: { text: '\u2028 "line"\n' } }),
      eventRow({ project_id, timestamp: Date.UTC(1999, 11, 31), properties: {} }),
    ];
    await insert('events', rows, token());
    await insert('persons', [personRow({ project_id, person_id: '00000000-0000-4000-8000-000000000001' })], token());
    const measured = await copies.measure({ table: 'events', part: '2024-02-29' });
    let between = 0;
    const snapshot = await copies.snapshot(async () => void between++);
    const later = { timestamp: Date.UTC(2024, 1, 29, 14), inserted_at: Date.now() };
    await insert('events', [eventRow({ project_id, ...later })], token());
    const units = await snapshot.units();
    const wanted = units.find(({ table, part }) => table === 'events' && part === '2024-02-29');
    expect(units.find(({ part }) => part === '1999-12-31')?.rows).toBe(1);
    if (!wanted) throw new Error('no unit');
    const taken = await snapshot.take(wanted);
    const leapDay = taken.unit;
    expect([leapDay.rows, between]).toEqual([2, 1]);
    const content = await buffer(taken.content);
    for (const unit of units.filter(({ table }) => table !== 'events')) {
      const { unit: same, content: rest } = await snapshot.take(unit);
      expect(same).toEqual(unit);
      expect((await buffer(rest)).length).toBeGreaterThan(0);
    }
    await snapshot.close();

    await copies.clear(leapDay);
    expect((await copies.units()).some(({ part }) => part === '2024-02-29')).toBe(false);
    await copies.load(leapDay, copies.columns('events'), Readable.from([content]));
    expect(await copies.measure(leapDay)).toEqual(measured);
    expect((await copies.units()).find(({ part }) => part === '2024-02-29')).toEqual(leapDay);
    const { rows: found } = await query<{ uuid: string }>({
      sql: `SELECT toString(uuid) AS uuid FROM events WHERE project_id = ${project_id} AND toDate(timestamp) = '2024-02-29' ORDER BY timestamp`,
    });
    expect(found.map(({ uuid }) => uuid)).toEqual(rows.slice(0, 2).map(({ uuid }) => uuid));
  });

  test('damaged content is refused', async () => {
    const { copies } = store();
    const unit = { table: 'events' as const, part: '1980-01-01' };
    await expect(copies.load(unit, copies.columns('events'), Readable.from([Buffer.from('no rows')]))).rejects.toThrow();
    expect((await copies.units()).some(({ part }) => part === unit.part)).toBe(false);
  });
}
