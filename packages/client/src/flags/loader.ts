import type { ClientInternals } from '../client.js';
import type { FlagsAnswer } from './answer.js';
import { parseFlagsAnswer } from './answer.js';
import { requestFlags } from './request.js';

export interface FlagLoader {
  /** Requests flags soon. While a request is running, one more follows it. */
  reload(): void;
  /** Whether a request was made. */
  hasRequested(): boolean;
  stop(): void;
}

interface Ports {
  internals: ClientInternals;
  /** The body of the request; undefined: makes no request now. */
  body(): object | undefined;
  /** The current person. An answer for another person is dropped. */
  distinctId(): string;
  /** undefined: the request failed, or has taken longer than the timeout; an answer may still follow. */
  loaded(answer?: FlagsAnswer): void;
}

const DEBOUNCE_MS = 5;
/** After three requests in a row without an answer, such as with an ad blocker, none is made for this time. */
const PAUSE_MS = 60_000;
const NEVER_MS = 1e9;

export function createFlagLoader({ internals, body, distinctId, loaded }: Ports): FlagLoader {
  const { platform, log, options } = internals;
  let timer: unknown;
  let running = false;
  let again = false;
  let hasRequested = false;
  let unanswered = 0;
  let pausedUntil = 0;

  const run = async () => {
    timer = undefined;
    const isPaused = platform.clock.now() < pausedUntil;
    const content = isPaused ? undefined : body();
    if (isPaused) internals.guard(loaded);
    if (!content) return;
    running = hasRequested = true;
    const whose = distinctId();
    const { paths, flags_api_host, feature_flag_request_timeout_ms = 3000, feature_flag_request_max_retries = 1 } = options();
    // flags settle after the first timeout, even if a retry follows
    const late = platform.timers.set(() => internals.guard(loaded), feature_flag_request_timeout_ms || NEVER_MS);
    let json: unknown;
    try {
      const request = { body: content, timeoutMs: feature_flag_request_timeout_ms, host: flags_api_host };
      const answer = await requestFlags(
        () => internals.request(`${paths?.flags ?? '/flags/'}?v=2`, request),
        platform.timers,
        feature_flag_request_max_retries,
      );
      unanswered = 0;
      if (answer.status === 200) json = JSON.parse(await answer.text());
    } catch {
      if (++unanswered === 3) {
        unanswered = 0;
        pausedUntil = platform.clock.now() + PAUSE_MS;
      }
    }
    running = false;
    platform.timers.clear(late);
    const answer = parseFlagsAnswer(json, (key) => log.warn(`payload:${key}`));
    if (whose === distinctId()) internals.guard(() => loaded(answer));
    if (!again) return;
    again = false;
    reload();
  };
  const reload = () => {
    if (running) again = true;
    else timer ??= platform.timers.set(() => void run(), DEBOUNCE_MS);
  };
  return {
    reload,
    hasRequested: () => hasRequested,
    stop() {
      platform.timers.clear(timer);
      timer = undefined;
      again = false;
    },
  };
}
