import { z } from 'zod';

/** Parameters with the same meaning in all paths. */
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

/** The schema of a path parameter: the route's own, else a common one, else an undescribed text. */
export const pathParameterSchema = (name: string, own: z.ZodType | undefined): z.ZodType => own ?? COMMON[name] ?? z.string();
