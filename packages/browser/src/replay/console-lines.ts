import { loggedText } from './logged-text.js';

/** A line as the recorder's plugin for the console writes it. */
export interface ConsoleLine {
  level: string;
  trace: string[];
  payload: string[];
}

const LEVELS = ['log', 'info', 'warn', 'error', 'debug'] as const;
const MAX_LINES = 1000;
const MAX_PARTS = 100;

/** Calls back with each line that the page writes to the console, up to 1,000. Returns a function that ends it. */
export function watchConsole(emit: (line: ConsoleLine) => void): () => void {
  let left = MAX_LINES;
  const undo = LEVELS.map((level) => {
    const original = console[level];
    const wrapped = (...parts: unknown[]) => {
      original.apply(console, parts);
      if (left-- > 0) emit({ level, trace: [], payload: parts.slice(0, MAX_PARTS).map(loggedText) });
    };
    console[level] = wrapped;
    return () => {
      // other code may have wrapped this function and still call it
      if (console[level] === wrapped) console[level] = original;
      else left = 0;
    };
  });
  return () => {
    for (const one of undo) one();
  };
}
