import { type Log, readOptions } from '@tidemark/client';
import type { BrowserOptions } from '../options.js';
import { ALIASES, OPTION_NAMES } from './option-names.js';

/** Warns about unknown options that look like known ones. */
export function checkOptions(given: object, log: Log): undefined {
  const { renamed, similar } = readOptions<BrowserOptions>(given, OPTION_NAMES, ALIASES);
  for (const [name, known] of [...renamed, ...similar]) {
    // options that went through `anySpelling` have both
    if (Reflect.get(given, known) !== Reflect.get(given, name))
      log.warn(`The option ${name} has no effect: did you mean ${known}?`);
  }
}
