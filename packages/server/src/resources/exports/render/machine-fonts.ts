import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where the fonts of a machine are: of Linux, macOS and Windows. */
export const MACHINE_FOLDERS: readonly string[] = [
  '/usr/share/fonts',
  '/usr/local/share/fonts',
  join(homedir(), '.fonts'),
  join(homedir(), '.local/share/fonts'),
  '/System/Library/Fonts',
  '/Library/Fonts',
  join(homedir(), 'Library/Fonts'),
  'C:/Windows/Fonts',
];
/** Caches of fontconfig that other programs fill: with them, a machine with a thousand fonts is read in a moment. */
export const MACHINE_CACHES = ['/var/cache/fontconfig', join(homedir(), '.cache/fontconfig')];
