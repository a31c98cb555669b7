import type { ClientOptions, Feature } from '@tidemark/client';
import type { AutocaptureOptions } from './autocapture/index.js';
import type { DeadClickOptions } from './dead-clicks/index.js';

/** Where a page stores values. */
export type Persistence = 'localStorage+cookie' | 'localStorage' | 'cookie' | 'sessionStorage' | 'memory';

/** Options of {@link init}, beside those of all clients. */
export interface BrowserOptions extends ClientOptions {
  /** Captures clicks, changes of fields and submits. Default true. */
  autocapture?: boolean | AutocaptureOptions;
  /** Captures `$pageview`. True (default): on load, and when the path changes within the page. `load`: on load only. */
  capture_pageview?: boolean | 'load';
  /** Captures `$pageleave` when the page ends. Default: if page views are captured. */
  capture_pageleave?: boolean;
  /** Captures uncaught errors. Default: the project's setting. It starts after the page has loaded; `features: [exceptions()]` starts with the page. */
  exceptions?: boolean;
  /** Captures web vitals. Default: the project's setting. */
  web_vitals?: boolean;
  /** Captures clicks without an effect. Default: the project's setting. The masks and lists of `autocapture` apply, too. */
  dead_clicks?: boolean | DeadClickOptions;
  /** Shows the project's surveys of type `popover`. Default: if the project runs any. `features: [surveys({ … })]` has more options. */
  surveys?: boolean;
  /** Optional parts of the library, such as `webVitals()`, `exceptions()` and `replay()`. */
  features?: Feature[];

  /** Default `localStorage+cookie`: localStorage, and a cookie of at most 200 bytes with the identity of the visitor, which servers can read. */
  persistence?: Persistence;
  /** Shares the cookie with the other subdomains of the site. Default true. */
  cross_subdomain_cookie?: boolean;
  /** Sends the cookie over https only. Default: true on https pages. */
  secure_cookie?: boolean;
  /** Default 365. 0: the cookie ends with the session of the browser. */
  cookie_expiration_days?: number;

  /** Also captures visits of bots. Default false. */
  opt_out_useragent_filter?: boolean;
  /** More texts that mark the user agent of a bot. */
  custom_blocked_useragents?: string[];

  /** Returns the URL for events instead of that of the page, such as for routes that are not in the URL. */
  get_current_url?: (url: string) => string;
  /** Masks the values of click ids in URLs. Default false. */
  mask_personal_data_properties?: boolean;
  /** More query parameters to mask. */
  custom_personal_data_properties?: string[];
  /** Adds campaign parameters of the URL to events. Default true. */
  save_campaign_params?: boolean;
  /** More query parameters that count as campaign parameters. */
  custom_campaign_params?: string[];
  /** Adds the referrer to events. Default true. */
  save_referrer?: boolean;
}
