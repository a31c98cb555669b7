import { describe, expect, test } from 'vitest';
import { type Behavior, draftOf, emptyGroup, faultOf, filtersOf, newBehavior, withKind } from './draft.js';

const PRO = { type: 'person' as const, key: 'plan', operator: 'exact', value: ['pro'] };
const BOUGHT: Behavior = { ...newBehavior(), key: 'purchase' };

const stored = (properties: unknown) => ({ name: 'Pros', filters: { properties } });
const written = (properties: unknown) => {
  const draft = draftOf(stored(properties));
  return draft && filtersOf(draft)?.['properties'];
};

describe('draftOf and filtersOf', () => {
  test('one list of conditions is read and written as it is', () => {
    const flat = { type: 'OR', values: [PRO, BOUGHT] };
    expect(written(flat)).toEqual(flat);
    expect(draftOf(stored(flat))).toMatchObject({ groups: [{ match: 'OR', filters: [PRO], behaviors: [BOUGHT] }] });
  });

  test('groups are read and written as they are', () => {
    const two = {
      type: 'OR',
      values: [
        { type: 'AND', values: [PRO, BOUGHT] },
        { type: 'OR', values: [PRO] },
      ],
    };
    expect(written(two)).toEqual(two);
  });

  test('conditions beside groups are a group joined like them', () => {
    const mixed = { type: 'AND', values: [PRO, { type: 'OR', values: [BOUGHT] }] };
    expect(written(mixed)).toEqual({
      type: 'AND',
      values: [
        { type: 'AND', values: [PRO] },
        { type: 'OR', values: [BOUGHT] },
      ],
    });
  });

  test('what cannot be shown is not shown wrongly', () => {
    expect(draftOf(stored({ type: 'AND', values: [{ type: 'OR', values: [{ type: 'AND', values: [PRO] }] }] }))).toBe(null);
    expect(draftOf(stored({ type: 'AND', values: [{ ...PRO, operator: 'gt', negation: true }] }))).toBe(null);
    expect(written({ type: 'AND', values: [{ ...PRO, negation: true }] })).toEqual({
      type: 'AND',
      values: [{ ...PRO, operator: 'is_not' }],
    });
  });

  test('a draft without a whole condition has no filters', () => {
    expect(filtersOf({ match: 'AND', groups: [emptyGroup()] })).toBe(null);
    expect(filtersOf({ match: 'AND', groups: [{ ...emptyGroup(), filters: [{ ...PRO, value: [] }] }] })).toBe(null);
    expect(filtersOf({ match: 'AND', groups: [emptyGroup(), { ...emptyGroup(), filters: [PRO] }] })).not.toBe(null);
  });
});

test('numbers of what people did begin with 1, except how often', () => {
  const group = (behavior: Behavior) => ({ ...emptyGroup(), behaviors: [behavior] });
  expect(faultOf(group({ ...BOUGHT, time_value: 0 }))).toBe('Numbers begin with 1.');
  expect(faultOf(group({ ...withKind(BOUGHT, 'performed_event_multiple'), operator_value: 0 }))).toBe(null);
  expect(faultOf(group({ ...withKind(BOUGHT, 'stopped_performing_event'), seq_time_value: null }))).not.toBe(null);
  const { time_value: _, time_interval: __, ...ever } = BOUGHT;
  expect(faultOf(group({ ...ever, explicit_datetime: 'all' }))).toBe(null);
});

test('another kind keeps the event and takes only its own fields', () => {
  const often = withKind({ ...BOUGHT, negation: true }, 'performed_event_multiple');
  expect(often).toMatchObject({ key: 'purchase', negation: true, operator: 'gte', operator_value: 3 });
  expect(Object.keys(withKind(often, 'performed_event'))).not.toContain('operator');
});
