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
  let late: unknown;

  const timeout = () => options().feature_flag_request_timeout_ms ?? 3000;
  /** Flags settle after the first timeout, even if a retry follows, or the request of an earlier person still runs. */
  const settleInTime = () => {
    late ??= platform.timers.set(() => {
      late = undefined;
      // no longer if the next request was not made, such as after an opt-out
      if (running) internals.guard(loaded);
    }, timeout() || NEVER_MS);
  };
  const run = async () => {
    timer = undefined;
    if (platform.clock.now() < pausedUntil) return void internals.guard(loaded);
    const content = body();
    if (!content) return;
    running = hasRequested = true;
    const whose = distinctId();
    const { paths, flags_api_host, feature_flag_request_max_retries = 1 } = options();
    settleInTime();
    let json: unknown;
    try {
      const request = { body: content, timeoutMs: timeout(), host: flags_api_host };
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
    if (whose === distinctId()) {
      platform.timers.clear(late);
      late = undefined;
      internals.guard(() => loaded(parseFlagsAnswer(json, (key) => log.warn(`payload:${key}`))));
    }
    if (again) reload();
  };
  const reload = () => {
    again = running;
    if (running) settleInTime();
    else timer ??= platform.timers.set(() => void run(), DEBOUNCE_MS);
  };
  return {
    reload,
    hasRequested: () => hasRequested,
    stop() {
      platform.timers.clear(timer);
      again = false;
    },
  };
}
