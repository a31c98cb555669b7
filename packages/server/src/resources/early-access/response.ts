import { z } from 'zod';
import { isoTime } from '../../http/dates.js';
import { pageOf } from '../../http/pagination.js';
import { STAGES } from './schema.js';
import type { FeatureRow } from './store.js';

const flagSchema = z
  .object({
    id: z.int().describe('Number of the flag.'),
    team_id: z.int().describe('Number of the project.'),
    name: z.string().describe('What the flag is for.'),
    key: z.string().describe('What code asks for.'),
    filters: z
      .record(z.string(), z.unknown())
      .describe('For whom it is on; `feature_enrollment` while people decide by enrolling.'),
    deleted: z.boolean().describe('Whether the flag is deleted.'),
    active: z.boolean().describe('Whether it is on at all.'),
    ensure_experience_continuity: z.boolean().describe('Whether people keep their value once they are known.'),
    version: z.int().describe('Grows with every change of the flag.'),
  })
  .meta({ id: 'FlagOfEarlyAccessFeature', description: 'The flag that decides about an early access feature.' });

/** An early access feature as responses show it. */
export const featureSchema = z
  .object({
    id: z.uuid().describe('Identifies the feature.'),
    feature_flag: flagSchema.nullable().describe('The flag that decides about it; null when it is gone, or hidden from you.'),
    name: z.string().describe('What people see.'),
    description: z.string().describe('What people get who enroll; may be empty.'),
    stage: z.enum(STAGES).describe('How far it is.'),
    documentation_url: z.string().describe('Where people can read about it; may be empty.'),
    payload: z.record(z.string(), z.unknown()).describe('Anything that pages need to show it.'),
    created_at: z.string().describe('When it was made.').meta({ format: 'date-time' }),
  })
  .meta({ id: 'EarlyAccessFeature', description: 'Something new that people can try by enrolling.' });

export const featurePage = pageOf(featureSchema);

/** A feature for somebody to whom `isHidden` flags are not shown. */
export const featureView = (projectId: number, { feature_flag: flag, ...row }: FeatureRow, isHidden: boolean) => ({
  id: row.id,
  feature_flag: flag && !isHidden ? flagView(projectId, flag) : null,
  name: row.name,
  description: row.description,
  stage: row.stage,
  documentation_url: row.documentation_url,
  payload: row.payload,
  created_at: isoTime(row.created_at),
});

const flagView = (projectId: number, { created_by: _, ...flag }: NonNullable<FeatureRow['feature_flag']>) => ({
  ...flag,
  team_id: projectId,
});
