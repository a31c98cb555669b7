import type { JsonObject } from '../../kernel/json.js';
import type { Stage } from './event-context.js';

const HEATMAP_KEYS = [
  '$heatmap_data',
  '$viewport_height',
  '$viewport_width',
  '$session_id',
  '$prev_pageview_pathname',
  '$prev_pageview_max_scroll',
  '$current_url',
  'distinct_id',
] as const;

/** Derives a `$$heatmap` event from heatmap data on another event, so that the other one stays small. */
export const splitHeatmap: Stage = {
  name: 'split-heatmap',
  run: (context, env) => {
    const { properties } = context;
    if (properties.$heatmap_data === undefined || context.event === '$$heatmap') return undefined;
    const own: JsonObject = {};
    for (const key of HEATMAP_KEYS) {
      const value = properties[key];
      if (value !== undefined) own[key] = value;
    }
    own.distinct_id = context.distinctId;
    delete properties.$heatmap_data;
    context.derived.push({
      ...context,
      uuid: env.uuid(),
      event: '$$heatmap',
      properties: own,
      set: {},
      setOnce: {},
      unset: [],
      warnings: [],
      derived: [],
    });
    return undefined;
  },
};
