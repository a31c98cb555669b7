import type { ClientOptions, Feature } from '@tidemark/client';
import type { AutocaptureOptions } from './autocapture/index.js';
import type { DeadClickOptions } from './dead-clicks/index.js';

/** Where a page keeps what must outlive it. */
export type Persistence = 'localStorage+cookie' | 'localStorage' | 'cookie' | 'sessionStorage' | 'memory';

/** What {@link init} understands, besides what all clients do. */
export interface BrowserOptions extends ClientOptions {
  /** Clicks, changes of fields and submits. Default true. */
  autocapture?: boolean | AutocaptureOptions;
  /** True (default): on load, and when the path changes within the page. `load`: on load only. */
  capture_pageview?: boolean | 'load';
  /** When the page goes. Default: if page views are captured. */
  capture_pageleave?: boolean;
  /** Errors that nobody caught. Default: as the project says. `features: [exceptions()]` begins with the page instead of after it. */
  exceptions?: boolean;
  /** How fast the page loads and answers. Default: as the project says. */
  web_vitals?: boolean;
  /** Clicks that change nothing. Default: as the project says. What `autocapture` masks and leaves out is masked and left out here, too. */
  dead_clicks?: boolean | DeadClickOptions;
  /** More parts of the library, such as `webVitals()`, `exceptions()` and `replay()`. */
  features?: Feature[];

  /** Default `localStorage+cookie`: all in localStorage, and who the visitor is in a cookie of at most 200 bytes for servers to read. */
  persistence?: Persistence;
  /** Share the cookie with the other subdomains of the site. Default true. */
  cross_subdomain_cookie?: boolean;
  /** Send the cookie over https alone. Default: on pages that came over https. */
  secure_cookie?: boolean;
  /** Default 365; 0: until the browser is closed. */
  cookie_expiration_days?: number;

  /** Capture the visits of programs, too. Default false. */
  opt_out_useragent_filter?: boolean;
  /** More parts of user agents that are programs. */
  custom_blocked_useragents?: string[];

  /** Gives the address to tell instead of the page's, for pages with routes that the address does not show. */
  get_current_url?: (url: string) => string;
  /** Hide the values of click ids in addresses. Default false. */
  mask_personal_data_properties?: boolean;
  /** More query parameters whose values are hidden then. */
  custom_personal_data_properties?: string[];
  /** Put campaign parameters of the address on events. Default true. */
  save_campaign_params?: boolean;
  /** More query parameters that say which campaign it was. */
  custom_campaign_params?: string[];
  /** Put the referrer on events. Default true. */
  save_referrer?: boolean;
}
