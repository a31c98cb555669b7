import { type ExceptionContext, exceptionProperties, isRecord, type Properties } from '@tidemark/client';
import { addSourceContext, type PlacedFrame, type SourceReader } from './source-context.js';

/** Properties of an `$exception` event: those of the caller, overridden by those of the error. */
export function propertiesOfException(
  error: unknown,
  given: Properties | undefined,
  context: ExceptionContext,
  readSource: SourceReader | undefined,
): Properties {
  const { $exception_source: _, ...own } = given ?? {};
  const { stack = '' } = new Error();
  const exception = exceptionProperties(error, context, { platform: 'node:javascript', syntheticStack: stack });
  if (readSource) addSourceContext(framesOf(exception), readSource);
  return { ...own, ...exception };
}

function framesOf({ $exception_list: list }: Properties): PlacedFrame[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) => {
    const stack = isRecord(entry) ? entry['stacktrace'] : undefined;
    const frames: unknown = isRecord(stack) ? stack['frames'] : undefined;
    return Array.isArray(frames) ? frames.filter(isRecord) : [];
  });
}
