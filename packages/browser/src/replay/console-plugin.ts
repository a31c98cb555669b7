import { isRecord } from '@tidemark/client';
import type { ConsoleLine } from './console-lines.js';
import type { ReplayOptions } from './options.js';

/**
 * The recorder's plugin for lines of the console; none unless the page or the project records them. Its code is loaded when a recording begins,
 * so that the recorder stays small: lines that are written before it has arrived are not recorded.
 */
export function consolePlugin(options: ReplayOptions, remote: unknown) {
  if (!(options.recordConsole ?? (isRecord(remote) && remote.consoleLogRecordingEnabled === true))) return [];
  const observer = (emit: (line: ConsoleLine) => void) => {
    let end: (() => void) | undefined;
    let ended = false;
    import('./console-lines.js').then(
      ({ watchConsole }) => {
        if (!ended) end = watchConsole(emit);
      },
      () => {},
    );
    return () => {
      ended = true;
      end?.();
    };
  };
  return [{ name: 'rrweb/console@1', observer, options: {} }];
}
