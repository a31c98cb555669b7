import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { escapeXml } from '../../../kernel/display-text.js';

const require = createRequire(import.meta.url);
const shipped = dirname(require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'));

/** Latin, Greek and Cyrillic. */
export const SHIPPED_FONT = join(shipped, 'DejaVuSans.ttf');
/** Symbols, such as those of mathematics. */
export const SHIPPED_SIGNS = join(shipped, 'DejaVuMathTeXGyre.ttf');
export const SHIPPED_BOLD = join(shipped, 'DejaVuSans-Bold.ttf');

/**
 * Configures fontconfig to find the bundled fonts and those in the operator's folder, and no others, so that an image is the same on
 * every machine. Must run before sharp is loaded. `home`: a directory for the configuration and the cache of fontconfig.
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
  // biome-ignore lint/style/noProcessEnv: fontconfig has no other setting for the path of its file
  process.env['FONTCONFIG_FILE'] = file;
}
