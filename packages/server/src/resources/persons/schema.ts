import { z } from 'zod';
import { optional, text } from '../../http/atoms.js';

const filter = (max: number) => optional(text({ max, blank: true, trim: false }));

/** An empty filter counts as none. */
export const personQuery = z.object({ distinct_id: filter(1000), email: filter(1000), search: filter(1000) });
export type PersonQuery = z.output<typeof personQuery>;
