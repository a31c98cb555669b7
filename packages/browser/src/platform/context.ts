import { maskUrl } from '../attribution/index.js';
import type { BrowserOptions } from '../options.js';
import { whenIdle } from '../when-idle.js';
import { describeUserAgent } from './user-agent.js';

/**
 * What the browser tells of itself and of the page, asked for each event: all that stays the same is read once. In browsers without
 * `Temporal` the first events of a page, those before it first rests, go without `$timezone`: `Intl` takes 12 to 25 ms to tell it.
 * `$timezone_offset` is on all events.
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
    // it takes many milliseconds to find out, which are not to hold the page up
    whenIdle(() => {
      timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
      forget();
    });
  }
  addEventListener('resize', forget);
  return () => {
    // the same as `location.href`, which takes browsers thirty times as long to tell
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

/** From the newer interface, which knows at once. */
function timezoneOf(page: { document: Document; Temporal?: { Now: { timeZoneId(): string } } }): string | undefined {
  return page.Temporal?.Now.timeZoneId();
}
