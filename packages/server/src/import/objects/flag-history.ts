import { isObject } from '../../kernel/json.js';
import type { ObjectImport } from './create-objects.js';

/**
 * Counts what people did to flags. It cannot be taken: the log of a project is what happened in it, and nobody can write into it. An export keeps
 * it as a file.
 */
export async function reportFlagHistory({ source, report }: ObjectImport): Promise<void> {
  for await (const entry of source.list('flag_history')) {
    const { user, activity, created_at: at } = entry;
    const who = isObject(user) ? (user['email'] ?? 'somebody') : 'somebody';
    const reason =
      'the log of changes only has what happened here: keep it by tidemark export, which writes objects/flag_history.json';
    report.count('flag_history', 'skipped', 1, reason, `${entry['flag']} ${activity} by ${who} at ${at}`);
  }
}
