import type { JsonObject } from '../../kernel/json.js';

/*
 * 60 days of an invented online shop for teams. Pure: the same seed and end make the same events.
 */

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const DAYS = 60;

/** One event to capture. */
export interface SampleEvent {
  uuid: string;
  event: string;
  distinctId: string;
  /** Epoch milliseconds. */
  timestamp: number;
  properties: JsonObject;
}

export interface SampleShop {
  /** In the order of their time. */
  events: SampleEvent[];
  distinctIds: string[];
  companies: string[];
}

/** What the events refer to. */
export interface ShopObjects {
  /** null: there is no survey. */
  surveyId: string | null;
}

/** Keys of the flags of the shop. */
export const CHECKOUT_FLAG = 'sample-new-checkout';
export const SEARCH_FLAG = 'sample-fast-search';
export const COMPANY_TYPE = 'company';

type Random = () => number;
type Weighted<T> = readonly (readonly [value: T, weight: number])[];

/** Mulberry32: a small generator of numbers in [0, 1). */
function generator(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Picks one of the values by their weights. */
function pick<T>(random: Random, choices: Weighted<T>): T {
  let at = random() * choices.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [value, weight] of choices) {
    at -= weight;
    if (at < 0) return value;
  }
  const [first] = choices;
  if (!first) throw new Error('There is nothing to pick from.');
  return first[0];
}

function uuidOf(random: Random): string {
  const hex = Array.from({ length: 4 }, () =>
    Math.floor(random() * 4_294_967_296)
      .toString(16)
      .padStart(8, '0'),
  ).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const COUNTRIES: Weighted<{ code: string; name: string; cities: readonly string[] }> = [
  [{ code: 'US', name: 'United States', cities: ['New York', 'Chicago', 'Austin'] }, 34],
  [{ code: 'DE', name: 'Germany', cities: ['Berlin', 'Munich', 'Hamburg'] }, 17],
  [{ code: 'GB', name: 'United Kingdom', cities: ['London', 'Leeds'] }, 14],
  [{ code: 'FR', name: 'France', cities: ['Paris', 'Lyon'] }, 9],
  [{ code: 'IN', name: 'India', cities: ['Bengaluru', 'Mumbai'] }, 8],
  [{ code: 'BR', name: 'Brazil', cities: ['São Paulo'] }, 7],
  [{ code: 'JP', name: 'Japan', cities: ['Tokyo', 'Osaka'] }, 6],
  [{ code: 'AU', name: 'Australia', cities: ['Sydney'] }, 5],
];
const DEVICES: Weighted<JsonObject> = [
  [{ $device_type: 'Desktop', $os: 'Windows', $browser: 'Chrome', $screen_width: 1920, $screen_height: 1080 }, 34],
  [{ $device_type: 'Desktop', $os: 'Mac OS X', $browser: 'Safari', $screen_width: 1728, $screen_height: 1117 }, 15],
  [{ $device_type: 'Desktop', $os: 'Linux', $browser: 'Firefox', $screen_width: 1920, $screen_height: 1200 }, 6],
  [{ $device_type: 'Mobile', $os: 'iOS', $browser: 'Mobile Safari', $screen_width: 390, $screen_height: 844 }, 24],
  [{ $device_type: 'Mobile', $os: 'Android', $browser: 'Chrome', $screen_width: 412, $screen_height: 915 }, 18],
  [{ $device_type: 'Tablet', $os: 'iOS', $browser: 'Mobile Safari', $screen_width: 820, $screen_height: 1180 }, 3],
];
const REFERRERS: Weighted<JsonObject> = [
  [{ $referrer: '$direct', $referring_domain: '$direct' }, 38],
  [{ $referrer: 'https://www.google.com/', $referring_domain: 'www.google.com' }, 30],
  [{ $referrer: 'https://news.example.com/', $referring_domain: 'news.example.com' }, 12],
  [{ $referrer: 'https://www.linkedin.com/', $referring_domain: 'www.linkedin.com', utm_source: 'linkedin' }, 10],
  [{ $referrer: 'https://letter.example.com/', $referring_domain: 'letter.example.com', utm_source: 'newsletter' }, 10],
];
const PRODUCTS = [
  ['Desk lamp', 49],
  ['Standing desk', 429],
  ['Monitor arm', 119],
  ['Office chair', 289],
  ['Notebook set', 19],
  ['Headphones', 199],
] as const;
const PLANS: Weighted<string> = [
  ['free', 60],
  ['pro', 30],
  ['business', 10],
];
const INDUSTRIES = ['software', 'health', 'education', 'retail', 'media'] as const;
/** Visits by the hour of the day, UTC. */
const HOURS = [3, 2, 1, 1, 1, 2, 4, 6, 8, 10, 11, 11, 10, 11, 13, 14, 13, 12, 10, 9, 8, 7, 5, 4].map(
  (weight, hour) => [hour, weight] as const,
);
const NAMES = [
  'Ada',
  'Ben',
  'Chen',
  'Dana',
  'Emil',
  'Fay',
  'Gita',
  'Hugo',
  'Iris',
  'Jon',
  'Kira',
  'Luis',
  'Mona',
  'Nils',
  'Olga',
  'Pia',
];

/** Visitors of the first day, and growth of their number from day to day. */
const FIRST_DAY = 36;
const GROWTH = 1.016;
const COMPANIES = 160;

/** Makes the events of a shop that ends at `end`, epoch milliseconds. `pause`: called after each day, so that requests run in between. */
export async function makeShop(
  seed: number,
  end: number,
  { surveyId }: ShopObjects,
  pause: () => Promise<unknown>,
): Promise<SampleShop> {
  const random = generator(seed);
  const prefix = `sample-${seed}`;
  const companies = Array.from({ length: COMPANIES }, (_, index) => `${prefix}-company-${index + 1}`);
  const events: SampleEvent[] = [];
  const distinctIds: string[] = [];
  const start = Math.floor(end / DAY_MS) * DAY_MS - (DAYS - 1) * DAY_MS;
  const add = (event: string, distinctId: string, timestamp: number, properties: JsonObject) => {
    // drawn also for what has not happened yet, so that the rest stays the same at every end
    const uuid = uuidOf(random);
    if (timestamp <= end) events.push({ uuid, event, distinctId, timestamp, properties: { ...properties, $sample: true } });
  };

  for (const [index, key] of companies.entries()) {
    const properties = {
      $group_type: COMPANY_TYPE,
      $group_key: key,
      $group_set: {
        name: `Company ${index + 1}`,
        industry: INDUSTRIES[index % INDUSTRIES.length] ?? 'software',
        size: 5 + ((index * 37) % 400),
        $sample: true,
      },
    };
    add('$groupidentify', `${prefix}-1`, start + index * 1_000, properties);
  }
  for (let day = 0; day < DAYS; day++) {
    await pause();
    const weekday = new Date(start + day * DAY_MS).getUTCDay();
    const weekend = weekday === 0 || weekday === 6 ? 0.55 : 1;
    const count = Math.round(FIRST_DAY * GROWTH ** day * weekend * (0.9 + 0.2 * random()));
    for (let n = 0; n < count; n++) {
      const distinctId = `${prefix}-${distinctIds.length + 1}`;
      distinctIds.push(distinctId);
      addVisitor(
        { random, add, distinctId, company: companies[Math.floor(random() ** 2 * COMPANIES)] ?? '', surveyId },
        start,
        day,
      );
    }
  }
  events.sort((a, b) => a.timestamp - b.timestamp || (a.uuid < b.uuid ? -1 : 1));
  return { events, distinctIds, companies };
}

interface Visitor {
  random: Random;
  add(event: string, distinctId: string, timestamp: number, properties: JsonObject): void;
  distinctId: string;
  company: string;
  surveyId: string | null;
}

/** One person from the first visit on: some sign up, and members come back more often than others, fewer with every week. */
function addVisitor({ random, add, distinctId, company, surveyId }: Visitor, start: number, firstDay: number): void {
  const country = pick(random, COUNTRIES);
  const variant = random() < 0.5 ? 'test' : 'control';
  const fast = random() < 0.3;
  const device = pick(random, DEVICES);
  const place: JsonObject = {
    $geoip_country_code: country.code,
    $geoip_country_name: country.name,
    $geoip_city_name: country.cities[Math.floor(random() * country.cities.length)] ?? country.name,
  };
  // as the service sets them for addresses that it can locate
  const located: JsonObject = {
    $set: place,
    $set_once: Object.fromEntries(Object.entries(place).map(([key, value]) => [`$initial_${key.slice(1)}`, value])),
  };
  const person: JsonObject = {
    ...device,
    ...place,
    $geoip_disable: true,
    $lib: 'web',
    $host: 'shop.example.com',
    [`$feature/${CHECKOUT_FLAG}`]: variant,
    [`$feature/${SEARCH_FLAG}`]: fast,
  };
  const name = NAMES[Math.floor(random() * NAMES.length)] ?? 'Ada';
  const email = `${name.toLowerCase()}.${distinctId.split('-').at(-1)}@example.com`;
  const plan = pick(random, PLANS);
  let isMember = false;
  for (let day = firstDay, visits = 0; day < DAYS; day++) {
    const age = day - firstDay;
    const returns = visits === 0 || random() < (isMember ? 0.34 * 0.975 ** age : 0.06 * 0.94 ** age);
    if (!returns) continue;
    visits += 1;
    let at = start + day * DAY_MS + pick(random, HOURS) * 3_600_000 + random() * 3_600_000;
    const session: JsonObject = { ...person, ...pick(random, REFERRERS), $session_id: uuidOf(random) };
    const send = (event: string, properties: JsonObject = {}) => {
      add(event, distinctId, Math.round(at), {
        ...session,
        ...(isMember ? { $groups: { [COMPANY_TYPE]: company } } : {}),
        ...properties,
      });
      at += MINUTE_MS * (0.2 + 2 * random());
    };
    const view = (path: string, properties: JsonObject = {}) =>
      send('$pageview', { $pathname: path, $current_url: `https://shop.example.com${path}`, ...properties });
    view(
      visits === 1
        ? pick(random, [
            ['/', 60],
            ['/blog/better-desks', 25],
            ['/pricing', 15],
          ])
        : '/products',
      visits === 1 ? located : {},
    );
    if (visits === 1) {
      for (const [flag, response] of [
        [CHECKOUT_FLAG, variant],
        [SEARCH_FLAG, fast],
      ] as const) {
        send('$feature_flag_called', { $feature_flag: flag, $feature_flag_response: response });
      }
    }
    if (!isMember && random() < 0.36) {
      view('/signup');
      isMember = random() < 0.62;
      if (isMember) {
        send('signed_up', {
          plan,
          $set: { email, name, plan, company },
          $set_once: { signed_up_at: new Date(at).toISOString() },
        });
      }
    }
    shopping({ random, send, view, lift: variant === 'test' ? 1.15 : 1, fast });
    if (surveyId !== null && isMember && random() < 0.02) {
      send('survey sent', {
        $survey_id: surveyId,
        $survey_response: String(
          pick(random, [
            [5, 40],
            [4, 34],
            [3, 15],
            [2, 7],
            [1, 4],
          ]),
        ),
      });
    }
  }
}

interface Visit {
  random: Random;
  send(event: string, properties?: JsonObject): void;
  view(path: string): void;
  /** Factor of the chance to finish a check-out. */
  lift: number;
  fast: boolean;
}

/** The way from a product to an order, which most visitors leave. */
function shopping({ random, send, view, lift, fast }: Visit): void {
  const [product, price] = PRODUCTS[Math.floor(random() * PRODUCTS.length)] ?? PRODUCTS[0];
  if (random() < 0.45)
    send('searched', {
      term: product.toLowerCase(),
      results: 1 + Math.floor(random() * 20),
      took_ms: Math.round((fast ? 90 : 240) * (0.6 + random())),
    });
  if (random() > 0.72) return;
  view(`/products/${product.toLowerCase().replaceAll(' ', '-')}`);
  send('product_viewed', { product, price });
  if (random() > 0.38) return;
  const quantity = 1 + Math.floor(random() ** 3 * 4);
  send('added_to_cart', { product, price, quantity });
  if (random() > 0.64) return;
  view('/checkout');
  send('checkout_started', { value: price * quantity });
  if (random() > 0.6 * lift) return;
  send('order_completed', { value: price * quantity, quantity, product, currency: 'USD' });
}
