import { amplitudeFormat } from './amplitude.js';
import type { EventFormat } from './format.js';
import { ga4Format } from './ga4.js';
import { mixpanelFormat } from './mixpanel.js';
import { plausibleFormat } from './plausible.js';
import { posthogFormat } from './posthog.js';
import { umamiFormat } from './umami.js';

/** Formats of files by the name that `--from` takes. */
export const FORMATS: Readonly<Record<string, EventFormat>> = Object.fromEntries(
  [posthogFormat, mixpanelFormat, amplitudeFormat, umamiFormat, ga4Format, plausibleFormat].map((format) => [
    format.name,
    format,
  ]),
);
