import { z } from 'zod';
import { choice } from '../../../http/fields.js';
import { absent, count, exactText, groupTypeIndex, refusal, unsupported } from '../../fields.js';
import { type InsightScope, insightFields, readScope } from '../../insight-schema.js';
import { type MathActor, mathActor } from '../../series-schema.js';
import { type Expression, readEventExpression } from '../sql/expression.js';

/** Kinds of steps: URLs of page views, names of screens, names of custom events, values of an SQL expression. */
const PATH_TYPES = ['$pageview', '$screen', 'custom_event', 'hogql'] as const;
export type PathType = (typeof PATH_TYPES)[number];

/** Selects actors for {@link ActorsQuery}: went on from a step, came to a step, or dropped off at one. Steps are named `2_/pricing`. */
interface PathPoint {
  startKey: string | null;
  endKey: string | null;
  dropoffKey: string | null;
}

/** Paths of actors through pages, screens and events. */
export interface PathsQuery extends InsightScope {
  kind: 'PathsQuery';
  /** Whose paths. */
  actor: MathActor;
  /** Empty: all events. */
  include: PathType[];
  /** The step name of an event for the type `hogql`; null: type not included. */
  expression: Expression | null;
  /** Where paths begin and end; null: anywhere. */
  start: string | null;
  end: string | null;
  exclude: string[];
  /** Patterns with the wildcard `*`: matching steps become one step. */
  groupings: string[];
  /** Replacements in step names: regular expressions and aliases. */
  cleanings: { regex: string; alias: string }[];
  /** Maximum steps of a path. */
  stepLimit: number;
  /** Maximum number of edges, and bounds of their weights. */
  edgeLimit: number;
  minWeight: number | null;
  maxWeight: number | null;
  point: PathPoint;
}

const MAX_STEPS = 20;
const MAX_EDGES = 1000;
const MAX_WEIGHT = 2_147_483_647;
const MAX_TEXTS = 100;

const texts = (what: string) =>
  absent(z.array(exactText(), `Expected a list of ${what}.`).max(MAX_TEXTS, `There may be ${MAX_TEXTS} ${what}.`));

const cleaning = z.object({
  regex: exactText().describe('A regular expression (RE2).'),
  alias: absent(
    exactText().transform((text, ctx) => {
      if (!text.includes('\\')) return text;
      ctx.addIssue(refusal('Backslashes cannot be used.'));
      return z.NEVER;
    }),
  ).describe('What stands in its place; nothing if left out.'),
});

const key = absent(exactText());

const pathsFilter = z.object(
  {
    includeEventTypes: absent(z.array(choice(PATH_TYPES), 'Expected a list of types.')).describe(
      'What steps are: pages, screens, events of your own, or all events by what `pathsHogQLExpression` makes of them (`hogql`). All events by their names if left out.',
    ),
    startPoint: absent(exactText()).describe('The step at which paths begin.'),
    endPoint: absent(exactText()).describe('The step at which they end.'),
    excludeEvents: texts('steps').describe(
      'Steps that are passed over; of one with `*`, which stands for anything, all that have such a part.',
    ),
    pathGroupings: texts('groupings').describe(
      'Parts of steps of which `*` stands for anything: all steps with such a part become one.',
    ),
    localPathCleaningFilters: absent(
      z.array(cleaning, 'Expected a list of cleanings.').max(MAX_TEXTS, `There may be ${MAX_TEXTS} cleanings.`),
    ).describe('Parts of steps that are written differently.'),
    stepLimit: absent(count(2, MAX_STEPS)).describe('Steps of a path.').meta({ default: 5 }),
    edgeLimit: absent(count(1, MAX_EDGES)).describe('How many edges are shown, the heaviest first.').meta({ default: 50 }),
    minEdgeWeight: absent(count(0, MAX_WEIGHT)).describe('Only edges that are gone so often at least.'),
    maxEdgeWeight: absent(count(0, MAX_WEIGHT)).describe('Only edges that are gone so often at most.'),
    pathStartKey: key.describe('For `ActorsQuery`: actors who continue from this step, such as `1_/pricing`.'),
    pathEndKey: key.describe('For `ActorsQuery`: actors who reach this step.'),
    pathDropoffKey: key.describe('For `ActorsQuery`: those whose path ends with this step.'),
    pathsHogQLExpression: absent(exactText(10_000)).describe(
      'What events are called for `hogql`, as an expression of SQL: `properties.$pathname`. An event without a value keeps its name. Without `hogql` it says nothing.',
    ),
    pathReplacements: unsupported('The cleanings of the query itself are used alone: send them as localPathCleaningFilters.'),
    funnelPaths: unsupported('Paths cannot begin or end with a funnel.', ''),
    funnelFilter: unsupported('Paths cannot begin or end with a funnel.'),
  },
  'Expected an object with the settings of the paths.',
);

/** Which way people go, from step to step. */
export const pathsSchema = z
  .object({
    kind: z.literal('PathsQuery').describe('Finds which way people go, from step to step.'),
    ...insightFields,
    funnelPathsFilter: unsupported('Paths cannot begin or end with a funnel.'),
    aggregation_group_type_index: groupTypeIndex.describe('Follows groups of this type instead of persons.'),
    pathsFilter: absent(pathsFilter).describe('What counts as a step, and which are shown.'),
  })
  .transform((raw, ctx): PathsQuery => {
    const filter = raw.pathsFilter ?? {};
    const [low, high] = [filter.minEdgeWeight ?? null, filter.maxEdgeWeight ?? null];
    if (low !== null && high !== null && low > high) {
      const message = `Ensure this value is greater than or equal to ${low}.`;
      ctx.addIssue(refusal(message, 'invalid_input', ['pathsFilter', 'maxEdgeWeight']));
      return z.NEVER;
    }
    const include = filter.includeEventTypes ?? [];
    const expression = readName(filter.pathsHogQLExpression ?? '', include.includes('hogql'));
    if (typeof expression === 'string') {
      ctx.addIssue(refusal(expression, 'invalid_input', ['pathsFilter', 'pathsHogQLExpression']));
      return z.NEVER;
    }
    const index = raw.aggregation_group_type_index ?? null;
    return {
      kind: 'PathsQuery',
      ...readScope(raw),
      actor: mathActor(index),
      include,
      expression,
      start: filter.startPoint ? withoutSlash(filter.startPoint) : null,
      end: filter.endPoint ? withoutSlash(filter.endPoint) : null,
      exclude: (filter.excludeEvents ?? []).map(withoutSlash),
      groupings: filter.pathGroupings ?? [],
      cleanings: (filter.localPathCleaningFilters ?? []).map(({ regex, alias }) => ({ regex, alias: alias ?? '' })),
      stepLimit: filter.stepLimit ?? 5,
      edgeLimit: filter.edgeLimit ?? 50,
      minWeight: low,
      maxWeight: high,
      point: {
        startKey: filter.pathStartKey || null,
        endKey: filter.pathEndKey || null,
        dropoffKey: filter.pathDropoffKey || null,
      },
    };
  })
  .meta({ id: 'PathsQuery', description: 'Finds which way people go, from step to step.' });

/** Parses the expression of the type `hogql`; null: type not included. @returns an error message if it is not valid */
function readName(written: string, isNeeded: boolean): Expression | string | null {
  if (!isNeeded) return null;
  return written === '' ? 'The type hogql needs an expression.' : readEventExpression(written);
}

/** Removes a trailing slash: `/pricing/` equals `/pricing`. */
const withoutSlash = (text: string): string => text.replace(/(.)\/$/s, '$1');
