import { z } from 'zod';
import { accessFieldsSchema } from '../../access/index.js';
import { userSchema } from '../../auth/index.js';
import { linksOf, pageOf } from '../../http/pagination.js';
import { personSchema } from '../persons/index.js';

const time = (description: string) => z.string().describe(description).meta({ format: 'date-time' });

/** A cohort as responses show it. */
export const cohortSchema = z
  .object({
    id: z.int().describe('Number of the cohort.'),
    name: z.string().nullable().describe('Name.'),
    description: z.string().describe('Who these people are; may be empty.'),
    groups: z.array(z.unknown()).describe('The conditions in their older form; always empty.'),
    filters: z.record(z.string(), z.unknown()).describe('The conditions, as `properties`; `{}` of a static cohort.'),
    query: z.null().describe('Always null.'),
    deleted: z.boolean().describe('Whether it is deleted.'),
    is_static: z.boolean().describe('Whether it is a list of people, rather than all of whom conditions hold.'),
    cohort_type: z
      .enum(['static', 'person_property', 'behavioral'])
      .describe('Of what it is made: a list, properties of people, or also what they did (`behavioral`).'),
    count: z.int().nullable().describe('How many people were in it when they were counted last; null: not counted yet.'),
    is_calculating: z.boolean().describe('Whether people are being counted.'),
    last_calculation: time('When people were counted last.').nullable(),
    errors_calculating: z.int().describe('How often in a row they could not be counted.'),
    version: z.int().describe('Grows with every change of the cohort.'),
    experiment_set: z.array(z.int()).describe('Always empty.'),
    created_by: userSchema.nullable().describe('Who made it; null when that user is gone.'),
    created_at: time('When it was made.'),
    user_access_level: accessFieldsSchema.user_access_level,
  })
  .meta({ id: 'Cohort', description: 'People who have something in common.' });

export const cohortPage = pageOf(cohortSchema);

/** A page of the people in a cohort. */
export const peoplePage = z.object({ ...linksOf(), results: z.array(personSchema).describe('This page, newest first.') });

export const doneSchema = z.object({ success: z.literal(true).describe('Always true.') });
