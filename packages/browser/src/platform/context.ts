import { maskUrl } from '../attribution/index.js';
import type { BrowserOptions } from '../options.js';
import { whenIdle } from '../when-idle.js';
import { describeUserAgent } from './user-agent.js';

/**
 * Properties of the browser and the page, cached until the URL or the size of the window changes. In browsers without `Temporal`, events before the
 * first idle callback have no `$timezone`, since `Intl` takes 12 to 25 ms to return it. All events have `$timezone_offset`.
 */
export function browserContext(options: BrowserOptions): () => Record<string, unknown> {
  const { language } = navigator;
  const fixed = {
    ...describeUserAgent(navigator.userAgent, navigator.maxTouchPoints),
    $browser_language: language,
    $browser_language_prefix: language?.split('-')[0],
    $screen_height: screen.height,
    $screen_width: screen.width,
    $timezone_offset: new Date().getTimezoneOffset(),
  };
  let timezone = timezoneOf(window);
  let known: string | undefined;
  let context: Record<string, unknown> = {};
  const forget = () => {
    known = undefined;
  };
  if (!timezone) {
    // `Intl` takes many milliseconds, which would delay the page
    whenIdle(() => {
      timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
      forget();
    });
  }
  addEventListener('resize', forget);
  return () => {
    // the same text as `location.href`, which takes thirty times as long to read
    const href = document.URL;
    if (href !== known) {
      known = href;
      context = {
        ...fixed,
        $timezone: timezone,
        $viewport_height: innerHeight,
        $viewport_width: innerWidth,
        $current_url: maskUrl(options.get_current_url?.(href) ?? href, options),
        $host: location.host,
        $pathname: location.pathname,
      };
    }
    return context;
  };
}

/** The time zone from `Temporal`, which returns it at once, where the browser has it. */
function timezoneOf(page: { document: Document; Temporal?: { Now: { timeZoneId(): string } } }): string | undefined {
  return page.Temporal?.Now.timeZoneId();
}
