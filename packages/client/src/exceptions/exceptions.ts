import type { Feature } from '../client.js';
import type { Properties } from '../event.js';
import { isoTime } from '../event-time.js';
import { isRecord } from '../is-record.js';
import { utf8Length } from '../utf8-length.js';
import { type ExceptionContext, exceptionProperties } from './exception-list.js';

/** Errors as events, with the steps that led to them. `platform` names the frames: default `web:javascript`. */
export function exceptions(platform = 'web:javascript'): Feature {
  return {
    name: 'exceptions',
    setup(_client, internals) {
      const { log, guard } = internals;
      let steps: { step: Properties; bytes: number }[] = [];
      const settings = () => ({ enabled: true, max_bytes: 32_768, ...internals.options().exception_steps });

      const addStep = (message: string, given?: Properties) => {
        const { enabled, max_bytes } = settings();
        if (!enabled) return;
        if (typeof message !== 'string' || !message.trim())
          return log.warn('addExceptionStep needs a message, so nothing was added.');
        const { $message, $timestamp, ...own } = given ?? {};
        if ($message !== undefined || $timestamp !== undefined) {
          log.warn('addExceptionStep sets $message and $timestamp itself, so those given are left out.');
        }
        const time = isoTime(internals.platform.clock.now());
        const text = JSON.stringify({ ...own, $message: message, $timestamp: time });
        const step: unknown = JSON.parse(text);
        const bytes = utf8Length(text);
        if (bytes > max_bytes) return log.warn('addExceptionStep: the step is larger than max_bytes, so it was not added.');
        if (!isRecord(step)) return;
        steps.push({ step, bytes });
        for (let total = steps.reduce((sum, entry) => sum + entry.bytes, 0); total > max_bytes; )
          total -= steps.shift()?.bytes ?? total;
      };
      internals.extend({
        addExceptionStep: (message, properties) => guard(() => addStep(message, properties)),
        captureException: (error, properties, context?: ExceptionContext) =>
          guard(() => {
            const { $exception_source: _, ...own } = properties ?? {};
            const exception = exceptionProperties(
              error,
              { type: 'generic', handled: true, ...context },
              { platform, ...stackHere() },
            );
            const attached = settings().enabled && steps.length ? { $exception_steps: steps.map(({ step }) => step) } : {};
            return internals.capture('$exception', { ...attached, ...own, ...exception });
          }),
      });
      return () => {
        steps = [];
      };
    },
  };
}

function stackHere(): { syntheticStack?: string } {
  const { stack } = new Error();
  return stack ? { syntheticStack: stack } : {};
}
