import type { Insight, Series } from '../insight.js';
import { NONE, OTHER } from '../theme/series-color.js';

/** Names for people of the events that SDKs capture. */
const NAMES: Readonly<Record<string, string>> = {
  $pageview: 'Page view',
  $pageleave: 'Page leave',
  $screen: 'Screen view',
  $autocapture: 'Click or input',
  $rageclick: 'Rage click',
  $identify: 'Identified',
  $exception: 'Error',
};

/** Names of breakdown values that are no values of the visitors. */
const VALUES: Readonly<Record<string, string>> = { [OTHER]: 'Other', [NONE]: '(none)', $direct: 'Direct' };

/** What the aggregations of a series count. Those with `of` are about a property. */
const MATHS: Readonly<Record<string, string>> = {
  total: 'total',
  dau: 'unique people',
  weekly_active: 'weekly active',
  monthly_active: 'monthly active',
  unique_session: 'unique sessions',
  unique_group: 'unique groups',
  first_time_for_user: 'first time',
  first_matching_event_for_user: 'first match',
  avg: 'average of',
  sum: 'sum of',
  min: 'lowest',
  max: 'highest',
  median: 'median of',
  p75: '75th percentile of',
  p90: '90th percentile of',
  p95: '95th percentile of',
  p99: '99th percentile of',
  hogql: 'expression',
};

/** The name of an event for people: `$pageview` is "Page view". */
export const readableName = (name: string): string => NAMES[name] ?? name;

/** What a series counts, in words: `unique people`, `sum of amount`. */
export function mathText(math: string, property: string | null): string {
  const words = MATHS[math] ?? math.replaceAll('_', ' ');
  return property && math !== 'total' ? `${words} ${property.replace(/^\$/, '').replaceAll('_', ' ')}` : words;
}

/** Properties whose own name says little. */
const PROPERTIES: Readonly<Record<string, string>> = {
  $current_url: 'Page address',
  $geoip_city_name: 'City',
  $geoip_country_code: 'Country',
  $geoip_country_name: 'Country',
  $ip: 'IP address',
  $lib: 'Library',
  $os: 'Operating system',
  $pathname: 'Path',
};

/** The name of a property for people: `$device_type` is "Device type". */
export function propertyText(name: string): string {
  const words = name
    .replace(/^\$(geoip_)?/, '')
    .replaceAll('_', ' ')
    .replace(/^utm /, 'UTM ');
  return PROPERTIES[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * Replaces names of events and breakdown values by words for people. A breakdown of a single event is labelled by its values alone;
 * series with the same name get what they count: `Page view (unique people)`.
 */
export function withReadableNames(insight: Insight): Insight {
  switch (insight.kind) {
    case 'series': {
      const isOne = new Set(insight.series.map(({ name, customName }) => customName ?? name)).size === 1;
      const names = insight.series.map((one) => readableLabel(one, isOne));
      const labels = distinct(insight.series, names);
      const series = insight.series.map((one, i) => ({
        ...one,
        name: readableName(one.name),
        label: `${labels[i]}${one.isPrevious ? ' (previous)' : ''}`,
      }));
      return { ...insight, series };
    }
    case 'funnel': {
      const groups = insight.groups.map(({ breakdown, steps }) => ({
        breakdown: breakdown === null ? null : readableValue(breakdown),
        steps: steps.map((step) => ({ ...step, name: readableName(step.name) })),
      }));
      return { ...insight, groups };
    }
    case 'paths': {
      const edges = insight.edges.map((edge) => ({
        ...edge,
        source: readablePart(edge.source),
        target: readablePart(edge.target),
      }));
      return { ...insight, edges };
    }
    default:
      return insight;
  }
}

const readableValue = (value: string): string => VALUES[value] ?? value;

/** Replaces the event name within a text, such as a step of a path. */
const readablePart = (text: string): string => text.replace(/\$[a-z]+/, readableName);

/** The name of a series without its period. */
function readableLabel({ label, name, customName, breakdown, status, isPrevious }: Series, isOne: boolean): string {
  if (status !== null) return status.charAt(0).toUpperCase() + status.slice(1);
  const bare = label.replace(isPrevious ? / \(previous\)$/ : / \(current\)$/, '');
  const start = `${customName ?? name} · `;
  if (breakdown !== null && bare.startsWith(start)) {
    // the label has the name of a country, the breakdown its code
    const value = readableValue(bare.slice(start.length));
    return isOne ? value : `${readableName(customName ?? name)} · ${value}`;
  }
  // a formula is part of the query, which visitors of public pages must not see
  return readablePart(bare).replace(/^Formula \(.*\)/s, 'Formula');
}

/** Adds to names that several series of a period share what they count, or else their number. */
function distinct(series: readonly Series[], names: readonly string[]): string[] {
  const keysOf = (texts: readonly string[]) => texts.map((text, i) => `${series[i]?.isPrevious} ${text}`);
  const isShared = (keys: readonly string[], key: string) => keys.indexOf(key) !== keys.lastIndexOf(key);
  const keys = keysOf(names);
  const counted = names.map((name, i) => {
    const math = series[i]?.math;
    return math && isShared(keys, keys[i] ?? '') ? `${name} (${math})` : name;
  });
  const again = keysOf(counted);
  return counted.map((name, i) => {
    const key = again[i] ?? '';
    return isShared(again, key) ? `${name} ${again.slice(0, i + 1).filter((one) => one === key).length}` : name;
  });
}
