import { z } from 'zod';
import { pageOf } from '../../http/pagination.js';

/** An ingestion warning as responses show it. */
const warningSchema = z
  .object({
    id: z.int().describe('Number of the warning.'),
    type: z.string().describe('What went wrong.').meta({ example: 'event_too_large' }),
    details: z.record(z.string(), z.unknown()).describe('About the event; depends on the type.'),
    timestamp: z.iso.datetime().describe('When it happened.'),
  })
  .meta({ id: 'IngestionWarning', description: 'Something that ingestion had to refuse or mend.' });

export const warningPage = pageOf(warningSchema);
