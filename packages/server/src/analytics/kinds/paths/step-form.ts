import { bound, EMPTY, type Fragment, sql, TRUE } from '../../sql/fragment.js';

/** How the steps of a path are written while paths are found. Steps are compared by their time, then by their name. */
export interface StepForm {
  /** What the statement defines first. */
  define: Fragment;
  /** A step, by its milliseconds and name. */
  step(millis: Fragment, name: Fragment): Fragment;
  /** Condition: a step of this name can be written. */
  isKnown(name: Fragment): Fragment;
  time(step: Fragment): Fragment;
  name(step: Fragment): Fragment;
  times(steps: Fragment): Fragment;
  names(steps: Fragment): Fragment;
  /** A name as it is in steps. */
  known(name: string): Fragment;
  /** The text of a name of a step. */
  text(name: Fragment): Fragment;
  /** A step that stands for all that were cut out from this one on. */
  gap(first: Fragment): Fragment;
}

/** Steps are tuples of their time and their name. */
export const TUPLES: StepForm = {
  define: EMPTY,
  step: (millis, name) => sql`(${millis}, ${name})`,
  isKnown: () => TRUE,
  time: (step) => sql`${step}.1`,
  name: (step) => sql`${step}.2`,
  times: (steps) => sql`${steps}.1`,
  names: (steps) => sql`${steps}.2`,
  known: (name) => bound('String', name),
  text: (name) => name,
  gap: (first) => sql`(${first}.1, '...')`,
};

/** Bits of a step for the place of its name. */
const NAME_BITS = sql`24`;
const NAME_MASK = sql`16777215`;

/** Milliseconds from the first to the last step that a step has bits for. */
export const LONGEST_SPAN = 2 ** 40;

/**
 * More names than this are not numbered: the list is a constant of the statement. Over 4 million page views with 20,000 names numbers take
 * 1.25 s instead of 1.9, with 100,000 names 1.7 s.
 */
export const MOST_NAMES = 50_000;

/**
 * Steps are one number each: milliseconds since `from`, then the place of the name in the list of all names. Numbers are grouped and sorted
 * in half the time. The list is sorted, so numbers are in the order of times and names. With too many names there are no steps.
 * @param found selects `found`, the sorted names of all steps, one more than {@link MOST_NAMES} at most
 */
export function numbered(from: number, found: Fragment): StepForm {
  const place = (name: Fragment) => sql`transform(${name}, step_names, range(1, length(step_names) + 1), toUInt64(0))`;
  const time = (step: Fragment) => sql`toInt64(bitShiftRight(${step}, ${NAME_BITS}))`;
  const name = (step: Fragment) => sql`bitAnd(${step}, ${NAME_MASK})`;
  return {
    define: sql`with (select if(length(found) > ${bound('Int64', MOST_NAMES)}, emptyArrayString(), found) from (${found})) as step_names
    `,
    step: (millis, of) => sql`bitShiftLeft(toUInt64(${millis} - ${bound('Int64', from)}), ${NAME_BITS}) + ${place(of)}`,
    // an event may have been stored since the names were read
    isKnown: (of) => sql`(notEmpty(step_names) and ${place(of)} > 0)`,
    time,
    name,
    times: (steps) => sql`arrayMap(step -> ${time(sql`step`)}, ${steps})`,
    names: (steps) => sql`arrayMap(step -> ${name(sql`step`)}, ${steps})`,
    known: (of) => sql`indexOf(step_names, ${bound('String', of)})`,
    text: (of) => sql`step_names[${of}]`,
    gap: () => {
      throw new Error('A gap has no place among the names.');
    },
  };
}
