/** One place in a stack. */
export interface StackFrame {
  platform: string;
  function: string;
  filename?: string;
  lineno?: number;
  colno?: number;
  in_app: boolean;
  pre_context?: string[];
  context_line?: string;
  post_context?: string[];
}

/** `    at name (file:1:2)` of V8, without the bracket for functions that have no name. */
const V8 = /^\s*at (?:(.+?) \()?(?:async )?(.+?):(\d+):(\d+)\)?$/;
/** `name@file:1:2` of Firefox and Safari. */
const GECKO = /^(.*?)@(.+?):(\d+):(\d+)$/;
const LONGEST = 50;

/** The frames of a stack text, from the entry point to the place of the error. `platform`: like `web:javascript`. */
export function parseStack(stack: string, platform: string): StackFrame[] {
  const frames: StackFrame[] = [];
  for (const line of stack.split('\n')) {
    const found = V8.exec(line) ?? GECKO.exec(line);
    if (!found || frames.length === LONGEST) continue;
    const [, name, filename = '', lineno, colno] = found;
    frames.push({
      platform,
      function: name || '?',
      filename,
      lineno: Number(lineno),
      colno: Number(colno),
      in_app: !/node_modules|^node:|\bextension:\/\//.test(filename),
    });
  }
  // Runtimes write the place of the error first.
  return frames.reverse();
}
