import { expect, test } from 'vitest';
import { eventRow } from '../../testing/events.js';
import { createChangedPersons } from './changed-persons.js';

const [ANNA, BERT, CARA] = ['anna', 'bert', 'cara'];
const PROJECT = 1;

function start() {
  let now = 1_000;
  const persons = createChangedPersons(() => now);
  return {
    ...persons,
    wait: (ms: number) => {
      now += ms;
    },
    now: () => now,
    capture: (distinct_id: string, person_id: string, readAt?: number, project_id = PROJECT) =>
      persons.inserted('events', [eventRow(1, { project_id, distinct_id, person_id })], readAt),
    merge: (distinct_id: string, person_id: string, former_person_ids: string[] | undefined, version = 1) => {
      const row = { project_id: PROJECT, distinct_id, person_id, version };
      persons.inserted('person_overrides', [former_person_ids ? { ...row, former_person_ids } : row]);
    },
  };
}

test('the persons of events and merges have changed, in their project, after each change', () => {
  const it = start();
  const first = it.lastChange(PROJECT);
  it.capture('a', ANNA);
  it.capture('z', 'zoe', undefined, 2);
  const second = it.lastChange(PROJECT);
  it.merge('b', BERT, [CARA]);
  it.inserted('persons', []);
  expect(it.changedSince(PROJECT, first)).toEqual([ANNA, BERT, CARA]);
  expect(it.changedSince(PROJECT, second)).toEqual([BERT, CARA]);
  expect(it.changedSince(PROJECT, it.lastChange(PROJECT))).toEqual([]);
});

test('nothing is known of a project before somebody has wanted it', () => {
  const it = start();
  expect(it.changedSince(PROJECT, 0)).toBeNull();
  it.capture('a', ANNA);
  const first = it.lastChange(PROJECT);
  expect(it.changedSince(PROJECT, first - 1)).toBeNull();
  expect(it.changedSince(PROJECT, first)).toEqual([]);
});

test('an event whose person was read before a merge changes the person into whom its distinct id was merged, too', () => {
  const it = start();
  it.lastChange(PROJECT);
  it.wait(10);
  it.merge('a', BERT, [ANNA], 2);
  // an older merge that comes late
  it.merge('a', CARA, [ANNA], 1);
  const after = it.lastChange(PROJECT);
  it.capture('a', ANNA, it.now() - 5);
  expect(it.changedSince(PROJECT, after)?.toSorted()).toEqual([ANNA, BERT]);
});

test('the persons of an event that was read before changes were recorded may be anybody', () => {
  const it = start();
  const first = it.lastChange(PROJECT);
  it.capture('a', ANNA, it.now() - 1);
  expect(it.changedSince(PROJECT, first)).toBeNull();
  const second = it.lastChange(PROJECT);
  it.capture('a', ANNA);
  expect(it.changedSince(PROJECT, second)).toEqual([ANNA]);
});

test('a merge without former persons, and a deletion, may have changed anybody', () => {
  const it = start();
  const first = it.lastChange(PROJECT);
  it.merge('a', BERT, undefined);
  expect(it.changedSince(PROJECT, first)).toBeNull();
  const second = it.lastChange(PROJECT);
  it.anybody([PROJECT, 2]);
  expect(it.changedSince(PROJECT, second)).toBeNull();
  expect(it.changedSince(PROJECT, it.lastChange(PROJECT))).toEqual([]);
});

test('after a failed insert nothing is known until its rows cannot come any more', () => {
  const it = start();
  const first = it.lastChange(PROJECT);
  it.failed([{ project_id: PROJECT }]);
  expect(it.changedSince(PROJECT, first)).toBeNull();
  it.wait(599_999);
  expect(it.changedSince(PROJECT, it.lastChange(PROJECT))).toBeNull();
  it.wait(1);
  expect(it.changedSince(PROJECT, it.lastChange(PROJECT))).toEqual([]);
});

test('of many changed persons those of the last changes are known', () => {
  const it = start();
  const capture = (from: number, count: number) =>
    it.inserted(
      'events',
      Array.from({ length: count }, (_, index) => eventRow(index, { project_id: PROJECT, person_id: `p${from + index}` })),
    );
  const first = it.lastChange(PROJECT);
  capture(0, 50_001);
  const second = it.lastChange(PROJECT);
  capture(50_000, 50_000);
  expect(it.changedSince(PROJECT, first)).toHaveLength(100_000);
  expect(it.changedSince(PROJECT, second)).toHaveLength(50_000);
  capture(100_000, 1);
  expect(it.changedSince(PROJECT, first)).toBeNull();
  expect(it.changedSince(PROJECT, second)).toHaveLength(50_001);
  const third = it.lastChange(PROJECT);
  it.capture('a', ANNA);
  expect(it.changedSince(PROJECT, third)).toEqual([ANNA]);
});

test('nothing is recorded of a project of which nobody has wanted anything for a quarter of an hour', () => {
  const it = start();
  const first = it.lastChange(PROJECT);
  it.wait(900_000);
  it.lastChange(2);
  expect(it.changedSince(PROJECT, first)).toEqual([]);
  it.wait(900_001);
  it.lastChange(2);
  expect(it.changedSince(PROJECT, first)).toBeNull();
});

test('once too many merges are remembered, an event that was read before may be anybody\u2019s', () => {
  const it = start();
  it.lastChange(PROJECT);
  it.wait(10);
  const rows = Array.from({ length: 50_001 }, (_, index) => ({
    project_id: PROJECT,
    distinct_id: `d${index}`,
    person_id: BERT as string,
    version: 1,
    former_person_ids: [ANNA as string],
  }));
  it.inserted('person_overrides', rows);
  const after = it.lastChange(PROJECT);
  it.capture('d1', ANNA, it.now());
  expect(it.changedSince(PROJECT, after)).toEqual([ANNA]);
  it.capture('d1', ANNA, it.now() - 1);
  expect(it.changedSince(PROJECT, after)).toBeNull();
});
