import { DEFAULT_APP } from '../../../packages/server/dist/resources/templates/built-in.js';
import type { MeasuredKind } from '../query-kinds.js';

/** The insights of the dashboard that a new project begins with. */
export const TEMPLATE: readonly Pick<MeasuredKind, 'name' | 'query'>[] = DEFAULT_APP.tiles.flatMap((tile) =>
  tile.type === 'INSIGHT' && tile.query ? [{ name: `insight "${tile.name}"`, query: tile.query }] : [],
);
