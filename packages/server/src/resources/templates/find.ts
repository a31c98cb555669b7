import type { Db } from '../../ports/db.js';
import { DEFAULT_APP, WEBSITE_TRAFFIC } from './built-in.js';
import { findTemplateByName } from './store.js';
import { readTemplate, type Template } from './template.js';

/** The template of a key: a built-in one, else the project's own or the instance's of that name; null when there is none. */
export async function findTemplate(db: Db, projectId: number, key: string): Promise<Template | null> {
  if (key === 'DEFAULT_APP') return DEFAULT_APP;
  if (key === 'WEBSITE_TRAFFIC') return WEBSITE_TRAFFIC;
  // PostgreSQL takes no NUL
  const row = key.includes('\0') ? undefined : await findTemplateByName(db, projectId, key);
  if (row) return readTemplate(row);
  return [DEFAULT_APP, WEBSITE_TRAFFIC].find(({ template_name }) => template_name === key) ?? null;
}
