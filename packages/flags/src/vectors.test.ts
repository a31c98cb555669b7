import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { shareOf } from './sha1.js';
import { flagOf, once } from './testing/subjects.js';

interface Vector {
  flag_key: string;
  distinct_id: string;
  rollout_percentage: number;
  variants: { key: string; rollout_percentage: number }[] | null;
  rollout_input: string;
  rollout_hash: number;
  in_rollout: boolean;
  variant_input: string;
  variant_hash: number;
  variant: string | null;
  flag_value: boolean | string;
}
interface Holdout {
  identifier: string;
  input: string;
  hash: number;
  member_at_10: boolean;
  member_at_50: boolean;
}

const { vectors, holdouts }: { vectors: Vector[]; holdouts: Holdout[] } = JSON.parse(
  readFileSync(new URL('./testing/flag-hash.json', import.meta.url), 'utf8'),
);
const bytes = (text: string) => new TextEncoder().encode(text);
const nothing = new Uint8Array();

describe('published vectors', () => {
  test.each(vectors)('$flag_key for $distinct_id at $rollout_percentage %', (vector) => {
    // the evaluator truncates identifiers, the hash does not
    const result = once(
      flagOf(vector.flag_key, {
        groups: [{ properties: [], rollout_percentage: vector.rollout_percentage }],
        multivariate: vector.variants && { variants: vector.variants },
      }),
      { distinctId: vector.distinct_id },
    );
    expect(result.value).toBe(vector.flag_value);
    expect(result.variant).toBe(vector.in_rollout ? vector.variant : null);
    expect(result.reason).toBe(vector.in_rollout ? 'condition_match' : 'out_of_rollout_bound');
    expect(shareOf(bytes(vector.rollout_input), nothing, nothing)).toBe(vector.rollout_hash);
    expect(shareOf(bytes(vector.variant_input), nothing, nothing)).toBe(vector.variant_hash);
  });

  test.each(holdouts)('holdout of $identifier', ({ identifier, input, hash, ...members }) => {
    expect(shareOf(bytes('holdout-'), bytes(identifier), nothing)).toBe(hash);
    expect(shareOf(bytes(input), nothing, nothing)).toBe(hash);
    for (const [percentage, member] of [
      [10, members.member_at_10],
      [50, members.member_at_50],
    ] as const) {
      const holdout = { id: 7, exclusion_percentage: percentage };
      expect(once(flagOf('any', { groups: [{}], holdout }), { distinctId: identifier }).value).toBe(member ? 'holdout-7' : true);
    }
  });
});
