import { join } from 'node:path';
import type { Insight } from '@tidemark/charts';
import type { Deps } from '../../deps.js';
import type { DashboardSnapshot } from './render/dashboard-snapshot.js';
import type { SvgSize } from './render/protocol.js';
import { createRenderer, type Renderer } from './render/renderer.js';

type Owner = Pick<Deps, 'config'>;

const renderers = new WeakMap<object, Renderer>();

/** The one renderer of a service. */
export function rendererOf({ config }: Owner): Renderer {
  const known = renderers.get(config);
  if (known) return known;
  const made = createRenderer({ fontFolder: config.fontFolder, home: join(config.dataDir, 'fonts') });
  renderers.set(config, made);
  return made;
}

/** The chart of one tile as SVG. */
export const renderTileSvg = (deps: Owner, insight: Insight, size: SvgSize): Promise<string> =>
  rendererOf(deps).svg(insight, size);

/** A whole dashboard as a PNG. */
export const renderDashboardPng = (deps: Owner, dashboard: DashboardSnapshot, signal?: AbortSignal): Promise<Uint8Array> =>
  rendererOf(deps).png(dashboard, signal);
