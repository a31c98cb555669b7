import { z } from 'zod';

/** The fields of a response that say how its result was computed. */
export const figureFields = {
  timings: z
    .array(
      z.object({
        k: z.string().describe('Part of the computation: `.` the whole, `./statement_1` its first statement.'),
        t: z.number().describe('Seconds.'),
      }),
    )
    .optional()
    .describe('How long the computation took; of a cached result, how long it took then.'),
  clickhouse: z
    .string()
    .optional()
    .describe('The SQL statements that computed the result, with their values; at most 20,000 characters.'),
};
