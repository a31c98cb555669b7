import type { Flag } from './flags.js';

/** How many get a flag, in short. */
export interface Rollout {
  /** Percentage of everybody; null: the properties of conditions decide. */
  percentage: number | null;
  text: string;
}

type Entry = Record<string, unknown>;

const objects = (value: unknown): Entry[] =>
  Array.isArray(value) ? value.filter((one): one is Entry => typeof one === 'object' && one !== null) : [];

/** What the conditions of filters add up to: "25%", "Everybody", "By condition". */
export function rolloutOf(filters: Flag['filters']): Rollout {
  const conditions = objects(filters['groups']).map(({ properties, rollout_percentage }) => ({
    isForAll: objects(properties).length === 0,
    percentage: typeof rollout_percentage === 'number' ? rollout_percentage : 100,
  }));
  const reaching = conditions.filter(({ percentage }) => percentage > 0);
  if (reaching.length === 0) return { percentage: 0, text: '0%' };
  // the same hash decides in each condition: the largest percentage has the others in it
  const all = Math.max(0, ...reaching.filter(({ isForAll }) => isForAll).map(({ percentage }) => percentage));
  if (all === 100 || reaching.every(({ isForAll }) => isForAll)) return { percentage: all, text: `${all}%` };
  return { percentage: null, text: 'By condition' };
}

/** "3 variants", "On / off", "Payload only". */
export function kindOf({ filters, is_remote_configuration }: Pick<Flag, 'filters' | 'is_remote_configuration'>): string {
  if (is_remote_configuration) return 'Payload only';
  const { multivariate } = filters as { multivariate?: { variants?: unknown } | null };
  const count = objects(multivariate?.variants).length;
  return count === 0 ? 'On / off' : count === 1 ? '1 variant' : `${count} variants`;
}

const STALE_MS = 30 * 86_400_000;

/** Why a list marks a flag as stale. The service has the same rule. @param now epoch milliseconds */
export const staleReason = ({ last_called_at, created_at }: Pick<Flag, 'last_called_at' | 'created_at'>, now: number): string =>
  now - Date.parse(last_called_at ?? created_at) > STALE_MS
    ? 'No code evaluated it for 30 days'
    : 'Everybody got the same value for 30 days';
