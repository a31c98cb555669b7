import type { ProjectContext } from '../../auth/index.js';
import { envelope, readPage } from '../../http/pagination.js';
import { BUILT_IN, type BuiltIn } from './built-in.js';
import type { ListQuery } from './schema.js';
import { listTemplates } from './store.js';
import { builtInView, templateView } from './view.js';

/** A page of the templates that the project may use: the built-in ones before those that are stored. */
export async function list({ deps, request, project }: ProjectContext, query: ListQuery) {
  const page = readPage(request);
  const builtIn = BUILT_IN.filter((one) => isWanted(one, query));
  const shown = builtIn.slice(page.offset, page.offset + page.limit);
  const rest = { limit: page.limit - shown.length, offset: Math.max(0, page.offset - builtIn.length) };
  const { count, rows } = await listTemplates(deps.db, project.id, query, rest);
  return envelope(request, page, builtIn.length + count, [...shown.map(builtInView), ...rows.map(templateView)]);
}

function isWanted({ template }: BuiltIn, { scope, search }: ListQuery): boolean {
  if (scope === 'team' || scope === 'feature_flag') return false;
  const words = search?.toLowerCase() ?? '';
  return `${template.template_name}\n${template.dashboard_description}`.toLowerCase().includes(words);
}
