import type { JsonObject } from '../../kernel/json.js';
import type { Stage } from './draft.js';

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

/** Heatmap data that rides on another event becomes an event of its own, so that the carrier stays small. */
export const splitHeatmap: Stage = {
  name: 'split-heatmap',
  run: (draft, env) => {
    const { properties } = draft;
    if (properties.$heatmap_data === undefined || draft.event === '$$heatmap') return undefined;
    const own: JsonObject = {};
    for (const key of HEATMAP_KEYS) {
      const value = properties[key];
      if (value !== undefined) own[key] = value;
    }
    own.distinct_id = draft.distinctId;
    delete properties.$heatmap_data;
    draft.split.push({
      ...draft,
      uuid: env.uuid(),
      event: '$$heatmap',
      properties: own,
      set: {},
      setOnce: {},
      unset: [],
      warnings: [],
      split: [],
    });
    return undefined;
  },
};
