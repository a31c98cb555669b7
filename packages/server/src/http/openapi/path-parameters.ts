import { z } from 'zod';

/** Parameters that mean the same in every path. */
const COMMON: Record<string, z.ZodType> = {
  project_id: z
    .string()
    .describe('Number of the project, or `@current` for the project where the caller is.')
    .meta({ example: '1' }),
  organization_id: z
    .string()
    .describe('UUID of the organization, or `@current` for the organization where the caller is.')
    .meta({ example: '@current' }),
};

/** The schema of a path's parameter; without description where nobody gave one. */
export const pathParameterSchema = (name: string, own: z.ZodType | undefined): z.ZodType => own ?? COMMON[name] ?? z.string();
