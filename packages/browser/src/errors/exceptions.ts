import { type ExceptionContext, exceptions as exceptionEvents, type Feature } from '@tidemark/client';

/** Which errors are captured without a call. */
export interface ExceptionOptions {
  /** Captures uncaught errors. Default true. */
  unhandled_errors?: boolean;
  /** Captures unhandled rejections of promises. Default true. */
  unhandled_rejections?: boolean;
  /** What is written by `console.error`. Default false. */
  console_errors?: boolean;
}

/** A page that fails in a loop must not fill the queue: so many of one type in a burst, then one in ten seconds. */
const BURST = 10;
const REFILL_MS = 10_000;

/**
 * Lets the client capture errors, by `captureException` and on its own.
 * @example init('tmk_…', { features: [exceptions()] })
 */
export function exceptions({
  unhandled_errors = true,
  unhandled_rejections = true,
  console_errors = false,
}: ExceptionOptions = {}): Feature {
  return {
    name: 'exceptions',
    setup(client, internals) {
      const { guard, platform } = internals;
      const ends = [exceptionEvents().setup(client, internals)];
      const mayCapture = burstLimit(platform.clock.now);
      const capture = (error: unknown, context: ExceptionContext) => {
        if (mayCapture(error instanceof Error ? error.name : typeof error)) client.captureException(error, undefined, context);
      };
      const listen = <Name extends keyof WindowEventMap>(name: Name, listener: (event: WindowEventMap[Name]) => void) => {
        const guarded = (event: WindowEventMap[Name]) => void guard(() => listener(event));
        window.addEventListener(name, guarded);
        ends.push(() => window.removeEventListener(name, guarded));
      };
      if (unhandled_errors) {
        listen('error', ({ error, message }) => {
          // elements that fail to load send events of the same name, without a message
          if (message !== undefined) {
            capture(error ?? message, { type: 'onuncaughtexception', handled: false, source: 'browser.window_onerror' });
          }
        });
      }
      if (unhandled_rejections) {
        listen('unhandledrejection', ({ reason }) =>
          capture(reason, { type: 'onunhandledrejection', handled: false, source: 'browser.unhandledrejection' }),
        );
      }
      if (console_errors) {
        ends.push(
          onConsoleError((parts) => {
            const error = parts.find((part) => part instanceof Error) ?? parts.map(String).join(' ');
            guard(() => capture(error, { type: 'onconsole', handled: true, level: 'error', source: 'browser.console' }));
          }),
        );
      }
      return () => {
        for (const end of ends) end?.();
      };
    },
  };
}

/** Wraps `console.error` for the calls of the page. Returns a function that ends it. */
function onConsoleError(listener: (parts: unknown[]) => void): () => void {
  const original = console.error;
  let inside = false;
  const patched = (...parts: unknown[]) => {
    original.apply(console, parts);
    // messages of the library itself are not captured
    if (inside || parts[0] === '[tidemark]') return;
    inside = true;
    listener(parts);
    inside = false;
  };
  console.error = patched;
  return () => {
    if (console.error === patched) console.error = original;
    inside = true;
  };
}

function burstLimit(now: () => number): (type: string) => boolean {
  const buckets = new Map<string, { left: number; at: number }>();
  return (type) => {
    const at = now();
    const bucket = buckets.get(type) ?? { left: BURST, at };
    const refilled = Math.floor((at - bucket.at) / REFILL_MS);
    bucket.left = Math.min(BURST, bucket.left + refilled);
    bucket.at += refilled * REFILL_MS;
    buckets.set(type, bucket);
    if (bucket.left < 1) return false;
    bucket.left--;
    return true;
  };
}
