import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import type { DefinitionFilter, EventOrder } from '../../data/definitions.js';
import { lazyScreen } from '../../ui/lazy-part.js';

export type PropertyKind = 'event' | 'person' | 'group';

/** `of`: whose properties are listed; absent: events. `search`, `is`, `tag`: filters. `order`: of events. `open`: the definition in the panel. */
export interface DefinitionsSearch extends DefinitionFilter {
  of?: PropertyKind;
  order?: EventOrder;
  open?: string;
}

const KINDS: readonly unknown[] = ['event', 'person', 'group'];
const ORDERS: readonly unknown[] = ['-volume_30_day', '-last_seen_at', 'name'] satisfies EventOrder[];

export const definitionsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/definitions',
  validateSearch: ({ of, search, is, tag, order, open }: Record<string, unknown>): DefinitionsSearch => ({
    ...(KINDS.includes(of) && { of: of as PropertyKind }),
    ...(typeof search === 'string' && search && { search }),
    ...((is === 'verified' || is === 'hidden') && { is }),
    ...(typeof tag === 'string' && tag && { tag }),
    ...(ORDERS.includes(order) && { order: order as EventOrder }),
    ...(typeof open === 'string' && open && { open }),
  }),
  component: lazyScreen(() => import('./DefinitionsScreen.js'), 'DefinitionsScreen'),
});
