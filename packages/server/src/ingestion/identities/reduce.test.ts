import { describe, expect, test } from 'vitest';
import { createScheduler } from '../../adapters/system/index.js';
import { identifyTask, personTask } from '../../testing/people.js';
import { NO_PROPERTIES, propertiesOf } from './apply-properties.js';
import { normalizeTask, type PersonTask, personUuid } from './person-task.js';
import { reduceTasks } from './reduce.js';
import { idKey, type Snapshot, type StoredPerson } from './unit-of-work.js';

const T0 = 1_700_000_000_000;
const uuidOf = (distinctId: string) => personUuid(1, distinctId);

function stored(id: number, fields: Partial<StoredPerson> & { name: string }): StoredPerson {
  const { name, ...rest } = fields;
  return {
    id,
    projectId: 1,
    uuid: uuidOf(name),
    version: 1,
    createdAt: T0,
    isIdentified: false,
    properties: NO_PROPERTIES,
    ...rest,
  };
}

const pictureOf = (persons: Record<string, StoredPerson>): Snapshot =>
  new Map(Object.entries(persons).map(([distinctId, person]) => [idKey(1, distinctId), person]));

/** The outcome in words that compare. */
async function outcome(persons: Record<string, StoredPerson>, tasks: PersonTask[]) {
  const batch = await reduceTasks(pictureOf(persons), tasks.map(normalizeTask), createScheduler());
  const seen = (person: (typeof batch.created)[number]) => ({
    uuid: person.uuid,
    properties: person.properties?.values,
    isIdentified: person.isIdentified,
    createdAt: person.createdAt,
  });
  return {
    resolved: batch.resolved,
    created: batch.created.map(seen),
    updated: batch.updated.map(seen),
    merged: batch.merged.map((person) => [person.uuid, person.mergedInto?.uuid]),
    linked: batch.linked.map(({ distinctId, person }) => [distinctId, person.uuid]),
    warnings: batch.warnings.map(({ type }) => type),
  };
}

const nothing = { created: [], updated: [], merged: [], linked: [], warnings: [] };

describe('events', () => {
  test('an unknown distinct id creates a person, whose uuid is derived from it', async () => {
    expect(await outcome({}, [personTask({ set: { a: 1 } }), personTask({ set: { b: 2 }, timestamp: T0 + 5 })])).toEqual({
      ...nothing,
      resolved: [
        { personId: uuidOf('ann'), mode: 'full' },
        { personId: uuidOf('ann'), mode: 'full' },
      ],
      created: [{ uuid: uuidOf('ann'), properties: { a: 1, b: 2 }, isIdentified: false, createdAt: T0 }],
      linked: [['ann', uuidOf('ann')]],
    });
  });

  test('unchanged properties change nothing, even when stored ones were not read', async () => {
    expect(await outcome({ ann: stored(1, { name: 'x', properties: null }) }, [personTask()])).toEqual({
      ...nothing,
      resolved: [{ personId: uuidOf('x'), mode: 'full' }],
    });
  });

  test.each(['$exception', '$$heatmap'])('%s never updates a person', async (event) => {
    const result = await outcome({ ann: stored(1, { name: 'ann' }) }, [personTask({ event, set: { a: 1 } })]);
    expect(result.updated).toEqual([]);
  });

  test('properties that would make a person too large cause a warning and change nothing', async () => {
    const result = await outcome({}, [personTask({ set: { a: 'x'.repeat(600_000) } }), personTask({ set: { b: 1 } })]);
    expect(result.created[0]?.properties).toEqual({ b: 1 });
    expect(result.warnings).toEqual(['message_size_too_large']);
  });

  test('an event that sets more properties than it may causes a warning and changes nothing', async () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`p${index}`, 1]));
    const tasks = [personTask({ set: many, setOnce: { more: 1 } }), personTask({ set: many })];
    const result = await outcome({}, tasks);
    expect(result.created[0]?.properties).toEqual(many);
    expect(result.warnings).toEqual(['message_size_too_large']);
  });
});

describe('events without a profile', () => {
  const quiet = personTask({ processProfile: false, set: { a: 1 } });
  test('they have the uuid of the later person, and create none', async () => {
    expect(await outcome({}, [quiet])).toEqual({ ...nothing, resolved: [{ personId: uuidOf('ann'), mode: 'propertyless' }] });
  });
  test('they belong to a person created meanwhile, and do not change it', async () => {
    const ann = stored(1, { name: 'x' });
    expect(await outcome({ ann }, [quiet, { ...quiet, timestamp: T0 + 60_001 }])).toEqual({
      ...nothing,
      resolved: [
        { personId: uuidOf('x'), mode: 'propertyless' },
        { personId: uuidOf('x'), mode: 'full' },
      ],
    });
  });
  test('they merge no persons', async () => {
    expect((await outcome({}, [identifyTask('ann', 'anon', { processProfile: false })])).linked).toEqual([]);
  });
});

describe('a merge of S into T', () => {
  const merged = identifyTask('T', 'S', { set: { c: 3 } });
  const target = stored(1, { name: 'T', properties: propertiesOf({ a: 1, b: 1 }, 13), createdAt: T0 + 9 });
  const source = stored(2, { name: 'S', properties: propertiesOf({ b: 2, d: 4 }, 13), createdAt: T0 + 3 });

  test('equal ids change nothing', async () => {
    expect(await outcome({ T: target }, [identifyTask('T', 'T', { identifies: false })])).toMatchObject(nothing);
  });
  test('neither has a person: one is created with both ids, identified', async () => {
    expect(await outcome({}, [merged])).toMatchObject({
      created: [{ uuid: uuidOf('T'), properties: { c: 3 }, isIdentified: true }],
      linked: [
        ['T', uuidOf('T')],
        ['S', uuidOf('T')],
      ],
    });
  });
  test('only T has one: it gets the id S', async () => {
    expect(await outcome({ T: target }, [merged])).toMatchObject({
      updated: [{ uuid: uuidOf('T'), properties: { a: 1, b: 1, c: 3 }, isIdentified: true }],
      linked: [['S', uuidOf('T')]],
    });
  });
  test('only S has one: it gets the id T', async () => {
    expect(await outcome({ S: source }, [merged])).toMatchObject({
      resolved: [{ personId: uuidOf('S'), mode: 'full' }],
      updated: [{ uuid: uuidOf('S'), properties: { b: 2, d: 4, c: 3 }, isIdentified: true }],
      linked: [['T', uuidOf('S')]],
    });
  });
  test('both have: T stays, with properties of S that T does not have and the older creation time', async () => {
    expect(await outcome({ S: source, T: target }, [merged])).toEqual({
      resolved: [{ personId: uuidOf('T'), mode: 'full' }],
      created: [],
      updated: [{ uuid: uuidOf('T'), properties: { a: 1, b: 1, c: 3, d: 4 }, isIdentified: true, createdAt: T0 + 3 }],
      merged: [[uuidOf('S'), uuidOf('T')]],
      linked: [],
      warnings: [],
    });
  });
  test('both ids have one person: it becomes identified', async () => {
    expect(await outcome({ S: target, T: target }, [identifyTask('T', 'S')])).toMatchObject({
      merged: [],
      updated: [{ isIdentified: true }],
    });
  });
  test('an identified S is refused, and the event has the person of T', async () => {
    const known = { ...source, isIdentified: true };
    expect(await outcome({ S: known, T: target }, [merged])).toMatchObject({
      resolved: [{ personId: uuidOf('T') }],
      updated: [{ uuid: uuidOf('T'), properties: { a: 1, b: 1, c: 3 } }],
      merged: [],
      warnings: ['cannot_merge_already_identified'],
    });
    expect((await outcome({ S: known, T: target }, [{ ...merged, merge: { source: 'S', force: true } }])).merged).toHaveLength(1);
  });
  test('chains within a batch end with one person', async () => {
    const result = await outcome({ S: source, T: target }, [
      personTask({ distinctId: 'S' }),
      merged,
      identifyTask('U', 'T', { set: { e: 5 } }),
    ]);
    expect(result).toMatchObject({ merged: [[uuidOf('S'), uuidOf('T')]], linked: [['U', uuidOf('T')]] });
    expect(new Set(result.resolved.map(({ personId }) => personId))).toEqual(new Set([uuidOf('T')]));
    expect(result.updated[0]?.properties).toEqual({ a: 1, b: 1, c: 3, d: 4, e: 5 });
  });

  test.each(['', '  ', 'guest', 'GUEST', '"guest"', "'undefined'", 'NaN', '0', '[object Object]', 'null', '""'])(
    'the illegal id %j is refused',
    async (id) => {
      expect(await outcome({}, [identifyTask('T', id)])).toMatchObject({
        warnings: ['cannot_merge_with_illegal_distinct_id'],
        created: [{ uuid: uuidOf('T'), isIdentified: true }],
      });
      expect(await outcome({}, [identifyTask(id || 'guest', 'S')])).toMatchObject({
        warnings: ['cannot_merge_with_illegal_distinct_id'],
        created: [{ isIdentified: false }],
      });
    },
  );
  test.each(['nan', 'NULL', 'guests', '"guest', '00'])('the id %j is legal', async (id) => {
    expect((await outcome({}, [identifyTask('T', id)])).warnings).toEqual([]);
  });
});

describe('turns of the event loop', () => {
  const LONGEST_TURN = 5000;
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));
  const yieldsFor = async (persons: Record<string, StoredPerson>, tasks: PersonTask[]) => {
    let yields = 0;
    const scheduler = { ...createScheduler(), yield: async () => void yields++ };
    await reduceTasks(pictureOf(persons), tasks.map(normalizeTask), scheduler);
    return yields;
  };
  const repeat = (count: number, task: (index: number) => PersonTask) => Array.from({ length: count }, (_, index) => task(index));

  test('end after some thousand properties of $set and $set_once, even if these change nothing', async () => {
    const persons = { ann: stored(1, { name: 'ann', properties: propertiesOf(many(500), 2) }) };
    const turns = (100 * 500) / LONGEST_TURN;
    expect(
      await yieldsFor(
        persons,
        repeat(100, () => personTask({ set: many(500) })),
      ),
    ).toBeGreaterThan(turns);
    expect(
      await yieldsFor(
        persons,
        repeat(100, () => personTask({ setOnce: many(500) })),
      ),
    ).toBeGreaterThan(turns);
  });

  test('end after a change of a person of many properties, and after a merge of two', async () => {
    const large = (id: number, name: string) => stored(id, { name, properties: propertiesOf(many(40_000), 500_000) });
    expect(
      await yieldsFor(
        { ann: large(1, 'ann') },
        repeat(10, (index) => personTask({ set: { k1: -index - 2 } })),
      ),
    ).toBe(9);
    const names = Array.from({ length: 5 }, (_, index) => `a${index}`);
    const persons = Object.fromEntries([...names, 'ann'].map((name, index) => [name, large(index + 1, name)]));
    expect(
      await yieldsFor(
        persons,
        names.map((name) => identifyTask('ann', name)),
      ),
    ).toBe(4);
  });

  test('are few for events that change no properties', async () => {
    const ann = stored(1, { name: 'ann', properties: propertiesOf(many(40_000), 500_000) });
    expect(
      await yieldsFor(
        { ann },
        repeat(1000, () => personTask()),
      ),
    ).toBeLessThan(10);
  });
});
