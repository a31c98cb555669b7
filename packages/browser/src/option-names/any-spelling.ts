import { readOptions, type Spellings } from '@tidemark/client';
import type { BrowserOptions } from '../options.js';
import { ALIASES, OPTION_NAMES } from './option-names.js';

/** Options in either spelling, and under the names that posthog-js and others give them. */
export type AnySpelling = Spellings<BrowserOptions & { [Name in keyof typeof ALIASES]?: BrowserOptions[(typeof ALIASES)[Name]] }>;

/**
 * Options for `init` from options in any spelling (`apiHost`, `flush_at`), and under the names of posthog-js (`opt_out_capturing_by_default`).
 * Import it where options come from elsewhere: `init` alone takes the documented names, so that pages load no table of names.
 * @example init('tmk_…', anySpelling({ apiHost: 'https://analytics.example.com', beforeSend: (event) => event }))
 */
export function anySpelling(given: AnySpelling): BrowserOptions {
  return readOptions<BrowserOptions>(given, OPTION_NAMES, ALIASES).options;
}
