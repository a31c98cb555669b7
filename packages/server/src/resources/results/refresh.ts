import { z } from 'zod';
import { REFRESH_MODES, type RefreshMode } from '../../analytics/index.js';

/** Schema of the query parameter `refresh` of reads. Unknown values mean `force_cache`: compute nothing. */
export const refreshParam = z
  .unknown()
  .transform((value): RefreshMode => {
    if (value === undefined) return 'force_cache';
    const word = String(value).toLowerCase();
    if (word === 'true' || word === '1') return 'force_blocking';
    return REFRESH_MODES.find((mode) => mode === word) ?? 'force_cache';
  })
  .optional()
  .describe(
    'How results are come by: `force_cache` or false (default): what was computed before, else null; `blocking`: computed now unless nothing was stored since; `force_blocking` or true: computed now; `async`, `force_async`, `lazy_async`, `async_except_on_cache_miss`: in the background, to be polled by `query_status`.',
  )
  .meta({ enum: [...REFRESH_MODES, true, false] });
