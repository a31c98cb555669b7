import type { ElementFilter } from '../filter.js';
import { parseSelector, type SelectorPart } from '../selector.js';
import type { FilterContext } from './filter.js';
import { bound, every, FALSE, type Fragment, some, sql } from './fragment.js';
import { CONDITIONS } from './operators.js';
import { ofText } from './property.js';

/*
 * `elements_chain` of an autocaptured event lists its element and all ancestors, innermost first:
 *
 *   chain     = element { ";" element }
 *   element   = tag { "." class } [ ":" { attribute } ]
 *   attribute = name "=" '"' value '"'          with \" for a quote in the value
 */

const QUOTED = sql`'"(?:[^"\\\\\\\\]|\\\\\\\\.)*"'`;
/** The chain with empty attribute values: texts in quotes could look like tags. */
const BARE = sql`replaceRegexpAll(e.elements_chain, ${QUOTED}, '""')`;
const ELEMENTS = sql`extractAll(e.elements_chain, '(?:[^;"]|"(?:[^"\\\\\\\\]|\\\\\\\\.)*")+')`;

const attributes = (pattern: string): Fragment =>
  sql`arrayMap(one -> replaceAll(one, '\\\\"', '"'), extractAll(e.elements_chain, ${bound('String', pattern)}))`;

const TEXTS = {
  tag_name: sql`extractAll(${BARE}, '(?:^|;)([A-Za-z][A-Za-z0-9_-]*)')`,
  text: attributes('[:"](?:\\$el_)?text="((?:[^"\\\\]|\\\\.)*)"'),
  href: attributes('[:"](?:attr__)?href="((?:[^"\\\\]|\\\\.)*)"'),
};

/** Condition: any element of the chain matches; for a negative operator: none does. */
export function elementCondition({ element, operator, values }: ElementFilter, context: FilterContext): Fragment {
  if (element === 'selector') {
    const any = some(values.map((value) => matchesSelector(parseSelector(value) ?? [])));
    return operator === 'is_not' ? sql`(not ${any})` : any;
  }
  const texts = TEXTS[element];
  if (operator === 'is_set') return sql`notEmpty(${texts})`;
  if (operator === 'is_not_set') return sql`empty(${texts})`;
  const isBroken = operator.endsWith('regex') && values.some((pattern) => context.brokenPatterns.has(pattern));
  if (isBroken) return FALSE;
  const opposite = OPPOSITES[operator];
  const test = CONDITIONS[opposite ?? operator](ofText(sql`one`), values, context);
  const any = sql`arrayExists(one -> ${test}, ${texts})`;
  return opposite ? sql`(not ${any})` : any;
}

const OPPOSITES: Partial<Record<ElementFilter['operator'], ElementFilter['operator']>> = {
  is_not: 'exact',
  not_icontains: 'icontains',
  not_icontains_multi: 'icontains_multi',
  not_starts_with: 'starts_with',
  not_ends_with: 'ends_with',
  not_regex: 'regex',
};

/**
 * Matches a selector from its innermost part outwards. A list beside the elements has 1 for each element up to which the parts so far
 * match: a child part continues from the direct child only, a descendant part from any element further inside (`arrayCumSum`).
 */
function matchesSelector(parts: readonly SelectorPart[]): Fragment {
  const [innermost, ...outer] = [...parts].reverse();
  if (!innermost) return FALSE;
  const fits = (part: SelectorPart): Fragment => sql`arrayMap(one -> toUInt8(${isSuch(part)}), ${ELEMENTS})`;
  const reached = outer.reduce((inside, part) => {
    const within = part.holds === 'child' ? inside : sql`arrayCumSum(${inside})`;
    return sql`arrayMap((fit, found) -> toUInt8(fit and found > 0), ${fits(part)}, arrayResize(arrayPushFront(${within}, 0), length(${ELEMENTS})))`;
  }, fits(innermost));
  return sql`has(${reached}, 1)`;
}

function isSuch({ tag, classes, attributes }: SelectorPart): Fragment {
  const patterns = [
    ...(tag === null ? [] : [`^(?i:${escaped(tag)})(?:[.:]|$)`]),
    ...classes.map((name) => `^[^"]*\\.${escaped(name)}(?:[.:]|$)`),
    ...attributes.map(({ name, value }) => {
      const own = `[:"](?:attr__?)?${escaped(name)}="`;
      return value === null ? own : `${own}${escaped(value.replaceAll('"', '\\"'))}"`;
    }),
  ];
  return every(patterns.map((pattern) => sql`match(one, ${bound('String', pattern)})`));
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
