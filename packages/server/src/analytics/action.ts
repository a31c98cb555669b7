import { z } from 'zod';
import { choice } from '../http/fields.js';
import { validate } from '../http/validate.js';
import { ApiError } from '../kernel/errors.js';
import type { Db } from '../ports/db.js';
import { absent, exactText, refusal } from './fields.js';
import { actionsOf, type Filter, type FilterGroup, type Operator } from './filter.js';
import { EVENT_MATCH_RULES, filters } from './filter-schema.js';
import { parseSelector } from './selector.js';
import type { Action } from './sql/filter.js';
import { readActions } from './store.js';

/** How a step compares a text. */
const MATCHINGS = ['contains', 'exact', 'regex'] as const;
type Matching = (typeof MATCHINGS)[number];
const OPERATORS: Record<Matching, Operator> = { contains: 'icontains', exact: 'exact', regex: 'regex' };

const MAX_TEXT = 4_000;
const matching = () => absent(choice(MATCHINGS));

/** One step of an action, as sent and stored. An event matches if it meets all conditions of the step. */
export const actionStepSchema = z
  .object(
    {
      event: absent(exactText(400)).describe('Name of the event; null: any.'),
      properties: filters(EVENT_MATCH_RULES),
      selector: absent(exactText(MAX_TEXT)).describe('Selector of the element, such as `form > button.primary`.'),
      tag_name: absent(exactText(400)).describe('Tag of the element, such as `button`.'),
      text: absent(exactText(MAX_TEXT)).describe('Text of the element.'),
      text_matching: matching().describe(
        'How `text` is compared, with `contains` and `exact` whatever the case. `exact` if left out.',
      ),
      href: absent(exactText(MAX_TEXT)).describe('Where the element links to.'),
      href_matching: matching().describe(
        'How `href` is compared, with `contains` and `exact` whatever the case. `exact` if left out.',
      ),
      url: absent(exactText(MAX_TEXT)).describe('Address of the page (`$current_url`).'),
      url_matching: matching().describe(
        'How `url` is compared, with `contains` and `exact` whatever the case. `contains` if left out.',
      ),
    },
    'Expected a step: an object with an event.',
  )
  .transform((raw, ctx): FilterGroup => {
    if (raw.selector && !parseSelector(raw.selector)) {
      ctx.addIssue(refusal('A selector such as nav > a.active[href="/docs"] is required.', 'invalid_input', ['selector']));
      return z.NEVER;
    }
    const element = (
      key: 'selector' | 'tag_name' | 'text' | 'href',
      value: string | null | undefined,
      how: Matching,
    ): Filter[] => (value ? [{ element: key, operator: OPERATORS[how], values: [value] }] : []);
    const page: Filter[] = raw.url
      ? [
          {
            owner: { type: 'event' },
            key: '$current_url',
            operator: OPERATORS[raw.url_matching ?? 'contains'],
            values: [raw.url],
          },
        ]
      : [];
    const own: Filter[] = [
      ...(raw.event ? [{ event: raw.event }] : []),
      ...page,
      ...element('tag_name', raw.tag_name, 'exact'),
      ...element('text', raw.text, raw.text_matching ?? 'exact'),
      ...element('href', raw.href, raw.href_matching ?? 'exact'),
      ...element('selector', raw.selector, 'exact'),
    ];
    return { type: 'AND', values: raw.properties.values.length > 0 ? [...own, raw.properties] : own };
  });

const stored = z.object({ steps: z.array(actionStepSchema) });

/** A query or filter names an action that the project does not have. */
export class UnknownAction extends ApiError {
  constructor(readonly id: number) {
    super('invalid_input', `There is no action ${id}.`);
  }
}

/**
 * The actions that filters name.
 * @throws UnknownAction when the project does not have one of them
 */
export async function findActions(db: Db, projectId: number, filters: readonly Filter[]): Promise<Map<number, Action>> {
  const wanted = [...new Set(filters.flatMap(actionsOf))];
  const rows = await readActions(db, projectId, wanted);
  const missing = wanted.find((id) => rows.every((row) => row.id !== id));
  if (missing !== undefined) throw new UnknownAction(missing);
  return new Map(
    rows.map(({ id, name, steps }) => [id, { name, filter: { type: 'OR', values: validate(stored, { steps }).steps } }]),
  );
}
