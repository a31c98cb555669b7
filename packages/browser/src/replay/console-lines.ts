import { isRecord } from '@tidemark/client';
import type { ReplayOptions } from './options.js';

const LEVELS = ['log', 'info', 'warn', 'error', 'debug'] as const;
const MAX_LINES = 1000;
const MAX_LENGTH = 1000;

/** The recorder's plugin for lines of the console; none unless they are wanted. */
export function consoleLines(options: ReplayOptions, remote: unknown) {
  if (!(options.recordConsole ?? (isRecord(remote) && remote.consoleLogRecordingEnabled === true))) return [];
  let left = MAX_LINES;
  const observer = (emit: (line: { level: string; trace: string[]; payload: string[] }) => void) => {
    const undo = LEVELS.map((level) => {
      const original = console[level];
      const wrapped = (...parts: unknown[]) => {
        original.apply(console, parts);
        if (left-- > 0) emit({ level, trace: [], payload: parts.map(lineOf) });
      };
      console[level] = wrapped;
      return () => {
        // somebody may have wrapped ours, and must not be undone
        if (console[level] === wrapped) console[level] = original;
        else left = 0;
      };
    });
    return () => {
      for (const one of undo) one();
    };
  };
  return [{ name: 'rrweb/console@1', observer, options: {} }];
}

function lineOf(part: unknown): string {
  let text: string | undefined;
  try {
    text = part instanceof Error ? String(part.stack ?? part) : JSON.stringify(part);
  } catch {}
  return (text ?? String(part)).slice(0, MAX_LENGTH);
}
