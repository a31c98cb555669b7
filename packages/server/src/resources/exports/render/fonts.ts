import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { escapeXml } from '../../../kernel/escape-xml.js';

const require = createRequire(import.meta.url);
const shipped = dirname(require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'));

/** Latin, Greek and Cyrillic. */
export const SHIPPED_FONT = join(shipped, 'DejaVuSans.ttf');
/** Signs of mathematics, and others. */
export const SHIPPED_SIGNS = join(shipped, 'DejaVuMathTeXGyre.ttf');
export const SHIPPED_BOLD = join(shipped, 'DejaVuSans-Bold.ttf');

/**
 * Lets the renderer of pictures find the shipped fonts and those in the operator's folder, and no others, so that a picture looks
 * the same on every machine. To be called before the renderer is loaded. `home`: a folder for what it finds out about them, kept
 * from one start to the next.
 */
export async function useFonts(folder: string | null, home: string): Promise<void> {
  await mkdir(home, { recursive: true });
  const file = join(home, 'fonts.conf');
  const folders = [shipped, ...(folder ? [folder] : [])];
  await writeFile(
    file,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>${folders
      .map((path) => `<dir>${escapeXml(path)}</dir>`)
      .join('')}<cachedir>${escapeXml(home)}</cachedir></fontconfig>`,
  );
  // biome-ignore lint/style/noProcessEnv: it is told in no other way, and nothing is read from it here
  process.env['FONTCONFIG_FILE'] = file;
}
