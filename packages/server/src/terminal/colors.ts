import { styleText } from 'node:util';

/** Where a command writes: a terminal, or a file or pipe. */
export type Output = NodeJS.WritableStream & { isTTY?: boolean; hasColors?(): boolean };

type Style = Parameters<typeof styleText>[0];

/** Colors of a terminal; none for files, pipes, terminals without colors, and with `NO_COLOR`. */
export type Paint = (style: Style, text: string) => string;

/** The colors that an output can show. */
export function paintFor(output: Output): Paint {
  return output.isTTY && output.hasColors?.() ? (style, text) => styleText(style, text) : (_style, text) => text;
}
