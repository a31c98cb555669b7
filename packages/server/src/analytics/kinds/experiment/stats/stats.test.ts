import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  betaDensity,
  chiSquaredAbove,
  incompleteBeta,
  logGamma,
  normalCdf,
  normalQuantile,
  studentCritical,
  studentTwoSided,
  upperGamma,
} from './distributions.js';
import { betaPosterior, normalPosterior } from './posterior.js';
import { goodnessOfFit, type Sample, sizeForMeans, sizeForShares, twoProportions, welch } from './significance.js';

const sampleOf = (values: readonly number[]): Sample => {
  const mean = values.reduce((all, one) => all + one, 0) / values.length;
  return { n: values.length, mean, variance: values.reduce((all, one) => all + (one - mean) ** 2, 0) / (values.length - 1) };
};
const close = (value: number | undefined, expected: number, digits = 4) =>
  expect(Math.abs((value ?? Number.NaN) / expected - 1)).toBeLessThan(0.5 * 10 ** (1 - digits));

describe('published worked examples', () => {
  test('two-proportion z test: two medications for hives, OpenStax Introductory Statistics, example 10.8 (p = 0.1404)', () => {
    const result = twoProportions({ hits: 20, n: 200 }, { hits: 12, n: 200 }, 0.95);
    expect(result?.pValue.toFixed(4)).toBe('0.1404');
    expect(result?.statistic.toFixed(2)).toBe('-1.47');
  });

  // Student (1908), The probable error of a mean; printed in R's manual, ?sleep and ?t.test
  test('Welch t test: extra hours of sleep, t = -1.8608, df = 17.776, p-value = 0.07939', () => {
    const first = sampleOf([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2]);
    const second = sampleOf([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]);
    const result = welch(second, first, 0.95);
    expect(result?.statistic.toFixed(4)).toBe('-1.8608');
    expect(result?.degrees.toFixed(3)).toBe('17.776');
    expect(result?.pValue.toFixed(5)).toBe('0.07939');
    expect(result?.interval.map((bound) => bound.toFixed(7))).toEqual(['-3.3654832', '0.2054832']);
  });

  // The examples of scipy.stats.chisquare in SciPy's reference
  test.each([
    { shares: [1, 1, 1, 1, 1, 1], statistic: 2, pValue: 0.8491450360846096 },
    { shares: [16, 16, 16, 16, 16, 8], statistic: 3.5, pValue: 0.6233876277495822 },
  ])('chi-squared test of counts against shares $shares', ({ shares, statistic, pValue }) => {
    const result = goodnessOfFit([16, 18, 16, 14, 12, 12], shares);
    close(result?.statistic, statistic, 12);
    close(result?.pValue, pValue, 12);
  });

  // Kohavi, Tang, Xu: Trustworthy Online Controlled Experiments (2020), chapter 3, prints 1.8E-6
  test('sample ratio mismatch: 821,588 against 815,482 users of an even split', () => {
    expect(goodnessOfFit([821_588, 815_482], [50, 50])?.pValue.toExponential(1)).toBe('1.8e-6');
  });

  // The reference values of the cprior library (G. Navas-Palencia, 2019), tests/test_beta.py
  test.each([
    [10, 50, 60, 250, 0.70889192],
    [600, 550, 52, 60, 0.1223144258],
    [1000, 900, 1200, 1000, 0.8898254504],
    [1000, 900, 1200, 800, 0.9999982656],
  ])('beta-binomial chance that Beta(%i, %i) is below Beta(%i, %i)', (a, b, c, d, expected) => {
    const { greater } = betaPosterior({ hits: a - 1, n: a + b - 2 }, { hits: c - 1, n: c + d - 2 }, 0.95);
    close(greater, expected, 9);
  });

  // R's power.prop.test(p1 = 0.2, p2 = 0.25, power = 0.8) prints n = 1093.739; its manual (p1 = .50, p2 = .75, power = .90) n = 76.7
  test('sample size for two shares', () => {
    expect(sizeForShares(0.2, 0.25, { alpha: 0.05, power: 0.8 }).toFixed(3)).toBe('1093.739');
    expect(sizeForShares(0.5, 0.75, { alpha: 0.05, power: 0.9 }).toFixed(1)).toBe('76.7');
  });

  // Lehr (1992), Sixteen s-squared over d-squared: 2 (1.959964 + 0.841621)^2 = 15.698
  test('sample size for two means', () => {
    close(sizeForMeans(0.5, 4, { alpha: 0.05, power: 0.8 }), (15.698 * 4) / 0.25);
  });
});

describe('distributions and special functions', () => {
  // Abramowitz and Stegun, Handbook of Mathematical Functions, tables 26.1 (15 digits), 26.8 and 26.10
  test('the normal distribution has the values of published tables', () => {
    expect(normalCdf(1)).toBeCloseTo(0.841344746068543, 14);
    expect(normalCdf(2)).toBeCloseTo(0.977249868051821, 14);
    expect(normalCdf(-3)).toBeCloseTo(0.00134989803163, 14);
    expect(normalQuantile(0.975)).toBeCloseTo(1.959963984540054, 10);
    expect(normalQuantile(0.5)).toBeCloseTo(0, 10);
  });

  test.each([
    [1, 12.706],
    [5, 2.571],
    [10, 2.228],
    [30, 2.042],
    [120, 1.98],
  ])("a twentieth of Student's t with %i degrees lies beyond %f", (degrees, critical) => {
    expect(studentCritical(0.05, degrees)).toBeCloseTo(critical, 3);
    expect(studentTwoSided(critical, degrees)).toBeCloseTo(0.05, 3);
  });

  test.each([
    [1, 3.84146],
    [2, 5.99147],
    [10, 18.307],
    [100, 124.342],
  ])('a twentieth of chi-squared with %i degrees lies above %f', (degrees, critical) => {
    expect(chiSquaredAbove(critical, degrees)).toBeCloseTo(0.05, 5);
  });

  test('the gamma and beta functions have their exact values', () => {
    expect(logGamma(0.5)).toBeCloseTo(Math.log(Math.PI) / 2, 13);
    expect(logGamma(11)).toBeCloseTo(Math.log(3_628_800), 12);
    expect(incompleteBeta(0.3, 2, 5)).toBeCloseTo(0.579825, 13);
    expect(upperGamma(1, 2.5)).toBeCloseTo(Math.exp(-2.5), 15);
    expect(betaDensity(0.25, 2, 3)).toBeCloseTo(12 * 0.25 * 0.75 ** 2, 12);
  });
});

describe('properties of posteriors and tests', () => {
  const share = fc
    .tuple(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 400 }))
    .map(([hits, misses]) => ({ hits, n: hits + misses }));

  /** Evan Miller, Formulas for Bayesian A/B testing (2015), equation 6: a sum instead of an integral. */
  const bySum = (first: { hits: number; n: number }, second: { hits: number; n: number }): number => {
    const logBeta = (x: number, y: number) => logGamma(x) + logGamma(y) - logGamma(x + y);
    const [a, b, c, d] = [first.hits + 1, first.n - first.hits + 1, second.hits + 1, second.n - second.hits + 1];
    return Array.from({ length: c }, (_, i) =>
      Math.exp(logBeta(a + i, b + d) - Math.log(d + i) - logBeta(1 + i, d) - logBeta(a, b)),
    ).reduce((all, one) => all + one, 0);
  };

  test('the integral equals the exact sum, and swapping the variants gives the complement', () => {
    fc.assert(
      fc.property(share, share, (first, second) => {
        const { greater, interval } = betaPosterior(first, second, 0.9);
        expect(greater).toBeCloseTo(bySum(first, second), 8);
        expect(betaPosterior(second, first, 0.9).greater).toBeCloseTo(1 - greater, 8);
        // the interval lies above 0 as surely as the chance says
        expect((interval?.[0] ?? 0) > 0).toBe(greater > 0.95);
        expect((interval?.[1] ?? 0) < 0).toBe(greater < 0.05);
      }),
      { numRuns: 40 },
    );
  });

  const sample = fc.record({
    n: fc.integer({ min: 2, max: 1e6 }),
    mean: fc.double({ min: 0.1, max: 1000, noNaN: true }),
    variance: fc.double({ min: 0.01, max: 1000, noNaN: true }),
  });

  test('an interval excludes 0 exactly when the test is significant, on either side', () => {
    fc.assert(
      fc.property(sample, sample, fc.constantFrom(0.9, 0.95, 0.99), (first, second, confidence) => {
        const result = welch(first, second, confidence);
        const [low, high] = result?.interval ?? [0, 0];
        fc.pre(Math.abs((result?.pValue ?? 1) - (1 - confidence)) > 1e-9);
        expect(low > 0 || high < 0).toBe((result?.pValue ?? 1) < 1 - confidence);
        const believed = normalPosterior(first, second, confidence);
        if (!believed?.interval) return;
        expect(believed.interval[0] > 0).toBe(believed.greater > (1 + confidence) / 2);
        expect(believed.interval[1] < 0).toBe(believed.greater < (1 - confidence) / 2);
      }),
      { numRuns: 200 },
    );
  });

  test('with a baseline without variance the delta has the interval of the variant alone', () => {
    const { greater = 0, interval } =
      normalPosterior({ n: 100, mean: 1, variance: 0 }, { n: 100, mean: 1.1, variance: 0.09 }, 0.95) ?? {};
    close(greater, 0.9995709396668032, 10);
    close(interval?.[0], 0.1 - 1.959963985 * 0.03, 7);
    close(interval?.[1], 0.1 + 1.959963985 * 0.03, 7);
  });

  test('a delta has no upper limit, and no interval when the baseline may be 0', () => {
    const first = { n: 50, mean: 2.5, variance: 5 };
    for (const variance of [0, 1]) {
      const [low = 0, high = 0] = normalPosterior(first, { n: 50, mean: 2.5e9, variance }, 0.95)?.interval ?? [];
      // the second mean is sure: only the first makes the ratio uncertain
      close(low, 2.5e9 / (2.5 + 1.959963985 * Math.sqrt(0.1)) - 1, 7);
      close(high, 2.5e9 / (2.5 - 1.959963985 * Math.sqrt(0.1)) - 1, 7);
    }
    const near = { n: 100, mean: 0.38, variance: 1 };
    expect(normalPosterior(near, { n: 100, mean: 1, variance: 1 }, 0.95)?.interval).not.toBeNull();
    expect(normalPosterior(near, { n: 100, mean: 1, variance: 1 }, 0.9999)?.interval).toBeNull();
  });

  test('comparisons without data are null, never NaN', () => {
    const none = { n: 0, mean: 0, variance: 0 };
    expect(welch(none, none, 0.95)).toBeNull();
    expect(welch({ n: 5, mean: 1, variance: 0 }, { n: 5, mean: 1, variance: 0 }, 0.95)).toBeNull();
    expect(normalPosterior(none, none, 0.95)).toBeNull();
    expect(twoProportions({ hits: 0, n: 0 }, { hits: 0, n: 5 }, 0.95)).toBeNull();
    expect(twoProportions({ hits: 0, n: 9 }, { hits: 0, n: 5 }, 0.95)).toBeNull();
    expect(goodnessOfFit([5], [1])).toBeNull();
    expect(goodnessOfFit([0, 0], [1, 1])).toBeNull();
    expect(goodnessOfFit([5, 5], [1, 0])).toBeNull();
    // of nothing known the ratio of two uniform numbers is believed, which is at most r with chance r / 2, or 1 - 1 / 2r above 1
    expect(betaPosterior({ hits: 0, n: 0 }, { hits: 0, n: 0 }, 0.95).interval).toEqual([
      expect.closeTo(-0.95, 8),
      expect.closeTo(19, 6),
    ]);
    expect(betaPosterior({ hits: 0, n: 0 }, { hits: 0, n: 0 }, 0.95).greater).toBeCloseTo(0.5, 10);
  });

  test('a hundred million people take no more time than a hundred', () => {
    const n = 1e8;
    const { greater, interval } = betaPosterior({ hits: n / 10, n }, { hits: (n / 10) * 1.0001, n }, 0.95);
    close(
      greater,
      normalPosterior({ n, mean: 0.1, variance: 0.09 }, { n, mean: 0.10001, variance: 0.10001 * 0.89999 }, 0.95)?.greater ?? 0,
    );
    expect(interval?.[1]).toBeGreaterThan(0.0001);
  });
});
