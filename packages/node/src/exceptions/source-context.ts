import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Lines of a source file; undefined: it cannot be read. */
export type SourceReader = (path: string) => readonly string[] | undefined;

/** The place of a frame, and the lines around it once they are added. */
export interface PlacedFrame {
  filename?: string | undefined;
  lineno?: number | undefined;
  context_line?: string;
  pre_context?: string[];
  post_context?: string[];
}

const AROUND = 5;
const LONGEST_LINE = 1_000;

/** Adds the lines around the place of each frame, in the order of the file. Frames whose file cannot be read are unchanged. */
export function addSourceContext(frames: readonly PlacedFrame[], read: SourceReader): void {
  for (const frame of frames) {
    const { filename, lineno } = frame;
    if (!filename || !lineno || filename.startsWith('node:')) continue;
    const lines = read(filename);
    const at = lineno - 1;
    const line = lines?.[at];
    if (!lines || line === undefined) continue;
    frame.pre_context = lines.slice(Math.max(0, at - AROUND), at).map(cut);
    frame.context_line = cut(line);
    frame.post_context = lines.slice(lineno, lineno + AROUND).map(cut);
  }
}

/** Bundles have lines without end. */
const cut = (line: string): string => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line);

const MOST_FILES = 50;
const LARGEST_FILE = 1 << 20;

/** Reads source files with a cache. It is synchronous, since the process may end with this exception. */
export function createSourceReader(): SourceReader {
  const known = new Map<string, readonly string[] | undefined>();
  return (path) => {
    if (known.has(path)) return known.get(path);
    const lines = readLines(path);
    const [oldest] = known.keys();
    if (known.size >= MOST_FILES && oldest !== undefined) known.delete(oldest);
    known.set(path, lines);
    return lines;
  };
}

function readLines(path: string): readonly string[] | undefined {
  try {
    const file = path.startsWith('file:') ? fileURLToPath(path) : path;
    const stat = statSync(file);
    // a path in a stack may be anything, a pipe that never ends included
    if (!stat.isFile() || stat.size > LARGEST_FILE) return undefined;
    return readFileSync(file, 'utf8').split(/\r?\n/);
  } catch {
    return undefined;
  }
}
