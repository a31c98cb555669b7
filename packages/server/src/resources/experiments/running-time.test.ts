import { expect, test } from 'vitest';
import { validate } from '../../http/validate.js';
import { estimatePlan, planSchema } from './running-time.js';

test.each([
  [{}, 'metric_type', 'required'],
  [{ metric_type: 'mean', baseline: 3 }, 'standard_deviation', 'required'],
  [{ metric_type: 'funnel' }, 'baseline', 'required'],
  [{ metric_type: 'funnel', baseline: 1.5 }, 'baseline', 'invalid_input'],
  [{ metric_type: 'funnel', baseline: 0.5, variants: 1 }, 'variants', 'invalid_input'],
  [{ metric_type: 'funnel', baseline: 0.5, minimum_detectable_effect: -1 }, 'minimum_detectable_effect', 'invalid_input'],
])('%j is refused', (body, attr, code) => {
  expect(() => validate(planSchema, body)).toThrow(expect.objectContaining({ code, body: expect.objectContaining({ attr }) }));
});

const plan = (fields: object) => estimatePlan(validate(planSchema, fields));

test('more variants need more people, decreases are estimated as increases are, and an effect that cannot be detected is null', () => {
  const funnel = { metric_type: 'funnel', baseline: 0.2, minimum_detectable_effect: 25 };
  expect(plan(funnel)).toMatchObject({ recommended_sample_size: 2188, recommended_days: null });
  expect(plan({ ...funnel, variants: 4 }).recommended_sample_size).toBe(4 * 1094);
  const mean = { metric_type: 'mean', baseline: 10, standard_deviation: 20, minimum_detectable_effect: 10 };
  expect(plan(mean).recommended_sample_size).toBe(plan({ ...mean, goal: 'decrease' }).recommended_sample_size);
  // 2 (1.959964 + 0.841621)² 20² / 1² = 6279.1 each
  expect(plan(mean).recommended_sample_size).toBe(2 * 6280);
  expect(plan({ metric_type: 'funnel', baseline: 0 }).recommended_sample_size).toBeNull();
  expect(plan({ metric_type: 'funnel', baseline: 1 }).recommended_sample_size).toBeNull();
});
