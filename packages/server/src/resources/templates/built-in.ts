import type { JsonObject } from '../../kernel/json.js';
import type { Template, TemplateTile } from './schema.js';

/** Width of a dashboard at `sm`, in columns. */
const COLUMNS = 12;
const HEIGHT = 5;

/** An insight of a template; `w`: its width in columns, by default half the dashboard. */
interface Piece {
  name: string;
  description: string;
  source: JsonObject;
  w?: number;
}

/** Places insights from left to right, row by row, on wide screens (`sm`), and one below the other on narrow ones (`xs`). */
function laidOut(pieces: readonly Piece[]): TemplateTile[] {
  let x = 0;
  let y = 0;
  return pieces.map(({ name, description, source, w = COLUMNS / 2 }, index) => {
    if (x + w > COLUMNS) {
      x = 0;
      y += HEIGHT;
    }
    const size = { h: HEIGHT, minH: HEIGHT, minW: 3 };
    const layouts = { sm: { x, y, w, ...size }, xs: { x: 0, y: index * HEIGHT, w: 1, ...size, minW: 1 } };
    x += w;
    return { type: 'INSIGHT', name, description, query: { kind: 'InsightVizNode', source }, filters: {}, layouts, color: null };
  });
}

const pageview = (fields: JsonObject = {}): JsonObject => ({
  kind: 'EventsNode',
  event: '$pageview',
  name: '$pageview',
  ...fields,
});

const trend = (math: string, days: string, fields: JsonObject = {}): JsonObject => ({
  kind: 'TrendsQuery',
  series: [pageview({ math })],
  interval: 'day',
  dateRange: { date_from: days },
  trendsFilter: { display: 'ActionsLineGraph' },
  ...fields,
});

/** The most frequent values of an event property, as bars. */
const top = (property: string, days: string, math = 'dau', display = 'ActionsBarValue'): JsonObject =>
  trend(math, days, {
    trendsFilter: { display },
    breakdownFilter: { breakdown: property, breakdown_type: 'event' },
  });

const eventFilter = (key: string, operator: string, value: string): JsonObject => ({ type: 'event', key, operator, value });

/** What a product's team looks at first. */
export const DEFAULT_APP: Template = {
  template_name: 'Product analytics',
  dashboard_description: 'Who uses the product, how often they come back, and where they come from.',
  dashboard_filters: {},
  tags: [],
  variables: [],
  tiles: laidOut([
    {
      name: 'Daily active users (DAUs)',
      description: 'How many different people used the product on each day.',
      source: trend('dau', '-30d'),
    },
    {
      name: 'Weekly active users (WAUs)',
      description: 'How many different people used the product in each week.',
      source: trend('dau', '-90d', { interval: 'week' }),
    },
    {
      name: 'Retention',
      description: 'How many people of each week came back in the weeks after.',
      source: {
        kind: 'RetentionQuery',
        dateRange: { date_from: '-7w' },
        retentionFilter: {
          period: 'Week',
          totalIntervals: 8,
          retentionType: 'retention_first_time',
          targetEntity: { id: '$pageview', name: '$pageview', type: 'events' },
          returningEntity: { id: '$pageview', name: '$pageview', type: 'events' },
        },
      },
    },
    {
      name: 'Growth accounting',
      description: 'How many people were new, returning, resurrecting or dormant in each week.',
      source: {
        kind: 'LifecycleQuery',
        series: [pageview()],
        interval: 'week',
        dateRange: { date_from: '-30d' },
        lifecycleFilter: { toggledLifecycles: ['new', 'returning', 'resurrecting', 'dormant'] },
      },
    },
    {
      name: 'Referring domain (last 14 days)',
      description: 'The sites that most people came from.',
      source: top('$referring_domain', '-14d'),
    },
    {
      name: 'Pageview funnel, by browser',
      description: 'How many people of each browser looked at a first, a second and a third page.',
      source: {
        kind: 'FunnelsQuery',
        series: [
          pageview({ custom_name: 'First page view' }),
          pageview({ custom_name: 'Second page view' }),
          pageview({ custom_name: 'Third page view' }),
        ],
        dateRange: { date_from: '-7d' },
        funnelsFilter: { funnelVizType: 'steps', funnelOrderType: 'ordered', layout: 'horizontal' },
        breakdownFilter: { breakdown: '$browser', breakdown_type: 'event' },
      },
    },
  ]),
};

/** What the owner of a website looks at first. */
export const WEBSITE_TRAFFIC: Template = {
  template_name: 'Website traffic',
  dashboard_description: 'How many people visit the site, what they read, and where they come from.',
  dashboard_filters: {},
  tags: [],
  variables: [],
  tiles: laidOut([
    {
      name: 'Unique visitors',
      description: 'How many different people visited the site in the last 30 days.',
      source: trend('dau', '-30d', { trendsFilter: { display: 'BoldNumber' } }),
      w: 4,
    },
    {
      name: 'Page views',
      description: 'How many pages were looked at in the last 30 days.',
      source: trend('total', '-30d', { trendsFilter: { display: 'BoldNumber' } }),
      w: 4,
    },
    {
      name: 'Visitors from Google',
      description: 'How many different people came from a search at Google in the last 30 days.',
      source: trend('dau', '-30d', {
        properties: [eventFilter('$referring_domain', 'icontains', 'google.')],
        trendsFilter: { display: 'BoldNumber' },
      }),
      w: 4,
    },
    {
      name: 'Visitors per day',
      description: 'How many different people visited the site on each day.',
      source: trend('dau', '-30d'),
    },
    {
      name: 'Page views per day',
      description: 'How many pages were looked at on each day.',
      source: trend('total', '-30d'),
    },
    {
      name: 'Most read pages',
      description: 'The pages that were looked at most.',
      source: top('$pathname', '-30d', 'total'),
    },
    {
      name: 'Referring domains',
      description: 'The sites that most people came from.',
      source: top('$referring_domain', '-30d'),
    },
    {
      name: 'Countries',
      description: 'Where most people are.',
      source: top('$geoip_country_code', '-30d', 'dau', 'WorldMap'),
    },
    {
      name: 'Kinds of devices',
      description: 'What people read the site on.',
      source: top('$device_type', '-30d', 'dau', 'ActionsPie'),
    },
  ]),
};

const comesBack = (
  period: 'Day' | 'Week' | 'Month',
  periods: number,
  returning: 'retention_first_time' | 'retention_recurring',
) => ({
  kind: 'RetentionQuery',
  dateRange: { date_from: `-${periods - 1}${period[0]?.toLowerCase()}` },
  retentionFilter: {
    period,
    totalIntervals: periods,
    retentionType: returning,
    targetEntity: { id: '$pageview', name: '$pageview', type: 'events' },
    returningEntity: { id: '$pageview', name: '$pageview', type: 'events' },
  },
});

/** What a team looks at that wants people to stay. */
export const RETENTION: Template = {
  template_name: 'Retention',
  dashboard_description: 'Who comes back, after how long, and how often people use the product.',
  dashboard_filters: {},
  tags: [],
  variables: [],
  tiles: laidOut([
    {
      name: 'New people who come back, by week',
      description: 'Of the people of each week who were there for the first time, how many came back in the weeks after.',
      source: comesBack('Week', 8, 'retention_first_time'),
      w: COLUMNS,
    },
    {
      name: 'New people who come back, by day',
      description: 'The same by day, for products that people use daily.',
      source: comesBack('Day', 11, 'retention_first_time'),
    },
    {
      name: 'All people who come back, by month',
      description: 'Of all people of a month, how many were there in the months after.',
      source: comesBack('Month', 6, 'retention_recurring'),
    },
    {
      name: 'New, returning, resurrecting and dormant people',
      description: 'Where the active people of each week come from, and how many were lost.',
      source: {
        kind: 'LifecycleQuery',
        series: [pageview()],
        interval: 'week',
        dateRange: { date_from: '-90d' },
        lifecycleFilter: { toggledLifecycles: ['new', 'returning', 'resurrecting', 'dormant'] },
      },
    },
    {
      name: 'Days of use in a month',
      description: 'On how many days of the last 30 people were there.',
      source: { kind: 'StickinessQuery', series: [pageview()], interval: 'day', dateRange: { date_from: '-30d' } },
    },
  ]),
};

/** What marketing looks at first. */
export const ACQUISITION: Template = {
  template_name: 'Acquisition',
  dashboard_description: 'Where new people come from, and which campaigns bring them.',
  dashboard_filters: {},
  tags: [],
  variables: [],
  tiles: laidOut([
    {
      name: 'First-time visitors per day',
      description: 'How many people were there for the first time on each day.',
      source: trend('first_time_for_user', '-30d'),
    },
    {
      name: 'Sources of campaigns',
      description: 'The `utm_source` of most people, in the last 30 days.',
      source: top('utm_source', '-30d'),
    },
    {
      name: 'Campaigns',
      description: 'The `utm_campaign` of most people, in the last 30 days.',
      source: top('utm_campaign', '-30d'),
    },
    {
      name: 'Referring domains per day',
      description: 'How many people came from which sites on each day.',
      source: top('$referring_domain', '-30d', 'dau', 'ActionsAreaGraph'),
    },
    {
      name: 'Pages that people enter by',
      description: 'The first pages of most sessions, in the last 30 days.',
      source: trend('unique_session', '-30d', {
        trendsFilter: { display: 'ActionsBarValue' },
        breakdownFilter: { breakdown: '$entry_pathname', breakdown_type: 'session' },
      }),
    },
    {
      name: 'Countries of visitors',
      description: 'Where most people are.',
      source: top('$geoip_country_code', '-30d', 'dau', 'WorldMap'),
    },
  ]),
};

/** A template that is part of the service. */
export interface BuiltIn {
  /** Its name in `use_template`. */
  key: string;
  /** The same on every instance. */
  id: string;
  template: Template;
}

export const BUILT_IN: readonly BuiltIn[] = [
  { key: 'DEFAULT_APP', id: '5d1a2c38-0f0b-4a87-9a0e-6f1c7a3e9b01', template: DEFAULT_APP },
  { key: 'WEBSITE_TRAFFIC', id: '5d1a2c38-0f0b-4a87-9a0e-6f1c7a3e9b02', template: WEBSITE_TRAFFIC },
  { key: 'RETENTION', id: '5d1a2c38-0f0b-4a87-9a0e-6f1c7a3e9b03', template: RETENTION },
  { key: 'ACQUISITION', id: '5d1a2c38-0f0b-4a87-9a0e-6f1c7a3e9b04', template: ACQUISITION },
];
