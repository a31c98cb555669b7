import { z } from 'zod';
import { bool, choice, integerChoice, optional, text } from '../../http/atoms.js';

const search = optional(text({ max: 1000, blank: true }));
const ORDERINGS = ['name', '-name', 'last_seen_at', '-last_seen_at'] as const;

export const eventQuery = z.object({ search, ordering: optional(choice(ORDERINGS)) });
export type EventQuery = z.output<typeof eventQuery>;

/** A list of names as JSON text. */
const names = text({ max: 100_000, blank: true }).transform((value, ctx): string[] => {
  const result = z.array(z.string().refine((name) => !name.includes('\0'))).safeParse(parsed(value));
  if (result.success) return result.data;
  ctx.addIssue({ code: 'custom', message: 'Expected a JSON list of names.', params: { code: 'invalid_input' } });
  return z.NEVER;
});

function parsed(value: string): unknown {
  try {
    return value === '' ? [] : JSON.parse(value);
  } catch {
    return null;
  }
}

export const propertyQuery = z.object({
  search,
  type: optional(choice(['event', 'person', 'group'])),
  group_type_index: optional(integerChoice([0, 1, 2, 3, 4])),
  event_names: optional(names),
  filter_by_event_names: optional(bool()),
});
export type PropertyQuery = z.output<typeof propertyQuery>;
