import type { Db } from '../../ports/db.js';
import { BUILT_IN } from './built-in.js';
import { findTemplateByName } from './store.js';
import { readTemplate, type Template } from './template.js';

/** Finds the template of a request: a built-in one by its key or name, or a stored one by its name; null: there is none. */
export async function findTemplate(db: Db, projectId: number, key: string): Promise<Template | null> {
  const builtIn = BUILT_IN.find((one) => one.key === key);
  if (builtIn) return builtIn.template;
  // PostgreSQL refuses NUL
  const row = key.includes('\0') ? undefined : await findTemplateByName(db, projectId, key);
  if (row) return readTemplate(row);
  return BUILT_IN.find(({ template }) => template.template_name === key)?.template ?? null;
}
