import { pick, type Random, randomFrom, uuidFrom } from './random.js';

/** An event as SDKs send it. */
export interface SentEvent {
  uuid: string;
  event: string;
  distinct_id: string;
  /** ISO 8601. */
  timestamp: string;
  properties: Record<string, unknown>;
}

/** Generates events with unique uuids. */
export type EventMaker = (overrides?: Partial<SentEvent>) => SentEvent;

/** Small events for tests. Fields that are not overridden are constant, except the uuid. */
export function eventMaker(seed: number): EventMaker {
  const random = randomFrom(seed);
  return (overrides = {}) => ({
    uuid: uuidFrom(random),
    event: 'test event',
    distinct_id: 'somebody',
    timestamp: new Date().toISOString(),
    properties: {},
    ...overrides,
  });
}

const PATHS = ['/', '/pricing', '/docs/getting-started', '/blog/how-we-measure', '/settings/billing', '/checkout'] as const;
const BROWSERS = ['Chrome', 'Firefox', 'Safari', 'Microsoft Edge'] as const;
const SYSTEMS = ['Windows', 'Mac OS X', 'Linux', 'iOS', 'Android'] as const;
const NAMES = ['$pageview', '$pageview', '$autocapture', '$pageleave', 'plan viewed', 'report opened'] as const;

/** Events of about 1 KB, like those of a web page: `people` distinct ids, half of them logged in. */
export function webEventMaker(seed: number, people = 2_000): EventMaker {
  const random = randomFrom(seed);
  return (overrides = {}) => {
    const person = Math.floor(random() * people);
    return {
      uuid: uuidFrom(random),
      event: pick(random, NAMES),
      distinct_id: `visitor-${seed}-${person}`,
      timestamp: new Date().toISOString(),
      properties: webProperties(random, person % 2 === 0),
      ...overrides,
    };
  };
}

function webProperties(random: Random, identified: boolean): Record<string, unknown> {
  const path = pick(random, PATHS);
  const version = 100 + Math.floor(random() * 30);
  return {
    $os: pick(random, SYSTEMS),
    $os_version: '10.15.7',
    $browser: pick(random, BROWSERS),
    $browser_version: version,
    $device_type: pick(random, ['Desktop', 'Desktop', 'Mobile']),
    $current_url: `https://shop.example.com${path}?session=${Math.floor(random() * 1e6)}`,
    $host: 'shop.example.com',
    $pathname: path,
    $raw_user_agent: `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version}.0.0.0 Safari/537.36`,
    $screen_height: 1080,
    $screen_width: 1920,
    $viewport_height: 600 + Math.floor(random() * 400),
    $viewport_width: 1000 + Math.floor(random() * 900),
    $lib: 'web',
    $lib_version: '1.434.18',
    $session_id: uuidFrom(random),
    $window_id: uuidFrom(random),
    $referrer: '$direct',
    $referring_domain: '$direct',
    $timezone: 'Europe/Berlin',
    title: 'Shop: everything that you need',
    plan: pick(random, ['free', 'team', 'enterprise']),
    price: Math.floor(random() * 10_000) / 100,
    items: Math.floor(random() * 20),
    $process_person_profile: identified,
    $is_identified: identified,
  };
}
