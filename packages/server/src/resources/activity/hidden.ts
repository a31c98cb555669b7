import { type AccessContext, accessOf } from '../../access/index.js';
import { RESOURCES } from './entry.js';
import type { Hidden } from './store.js';

/** What the access rules keep from the caller, of all resources that the log tells of. */
export async function hiddenFrom(context: AccessContext): Promise<Hidden[]> {
  const all = await Promise.all([...Object.values(RESOURCES), 'survey' as const].map((resource) => accessOf(context, resource)));
  return all.flatMap(({ resource, levelOn, hiddenIds }): Hidden[] => {
    // an object without rules of its own has what the rules about the whole resource give
    if (levelOn({ id: 0, created_by: null }) === 'none') return [{ resource, ids: 'all' }];
    return hiddenIds.length > 0 ? [{ resource, ids: hiddenIds }] : [];
  });
}
