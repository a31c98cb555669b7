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
    'Whether results may come from the cache. `force_cache` or false (default): the cached result, else null; `blocking`: the cached result if no event was stored since, else computed now; `force_blocking` or true: computed now; `async`, `force_async`, `lazy_async`, `async_except_on_cache_miss`: computed in the background, to be polled by `query_status`.',
  )
  .meta({ enum: [...REFRESH_MODES, true, false] });
