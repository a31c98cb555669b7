/** A tile of the measured board. */
export interface BoardTile {
  name: string;
  source: object;
  place: { x: number; y: number; w: number; h: number };
}

const dateRange = { date_from: '-30d' };

/** The board of a shop: four numbers, a wide chart, and five more. `round`: makes names, and so charts, different from those before. */
export function boardOf(round: number): BoardTile[] {
  const series = (event: string, more: object = {}) => ({ kind: 'EventsNode', event, custom_name: `${event} ${round}`, ...more });
  const trend = (one: object[], display: string, more: object = {}) => ({
    kind: 'TrendsQuery',
    series: one,
    dateRange,
    trendsFilter: { display },
    tags: { name: `round ${round}` },
    ...more,
  });
  const number = (one: object) => trend([one], 'BoldNumber', { compareFilter: { compare: true } });
  const by = (breakdown: string) => ({ breakdownFilter: { breakdown, breakdown_type: 'event' } });
  const visits = series('$pageview', { math: 'dau' });
  return [
    {
      name: 'Revenue',
      source: number(series('bought', { math: 'sum', math_property: 'amount' })),
      place: { x: 0, y: 0, w: 3, h: 2 },
    },
    { name: 'New sign-ups', source: number(series('signed_up')), place: { x: 3, y: 0, w: 3, h: 2 } },
    { name: 'Visitors', source: number(visits), place: { x: 6, y: 0, w: 3, h: 2 } },
    {
      name: 'Median order',
      source: number(series('bought', { math: 'median', math_property: 'amount' })),
      place: { x: 9, y: 0, w: 3, h: 2 },
    },
    {
      name: 'Visitors and sign-ups',
      source: trend([visits, series('signed_up')], 'ActionsLineGraph'),
      place: { x: 0, y: 2, w: 12, h: 5 },
    },
    {
      name: 'Activation',
      source: {
        kind: 'FunnelsQuery',
        series: [series('$pageview'), series('signed_up'), series('bought')],
        dateRange,
        funnelsFilter: { funnelWindowInterval: 14, funnelWindowIntervalUnit: 'day' },
        tags: { name: `round ${round}` },
      },
      place: { x: 0, y: 7, w: 4, h: 5 },
    },
    {
      name: 'Where visitors come from',
      source: trend([visits], 'ActionsBarValue', by('$referring_domain')),
      place: { x: 4, y: 7, w: 4, h: 5 },
    },
    { name: 'Systems', source: trend([visits], 'ActionsPie', by('$os')), place: { x: 8, y: 7, w: 4, h: 5 } },
    {
      name: 'Coming back',
      source: {
        kind: 'RetentionQuery',
        retentionFilter: {
          period: 'Week',
          totalIntervals: 8,
          targetEntity: { id: '$pageview', type: 'events' },
          returningEntity: { id: '$pageview', type: 'events' },
        },
        tags: { name: `round ${round}` },
      },
      place: { x: 0, y: 12, w: 6, h: 5 },
    },
    {
      name: 'Growth',
      source: {
        kind: 'LifecycleQuery',
        series: [series('$pageview')],
        dateRange,
        interval: 'week',
        tags: { name: `round ${round}` },
      },
      place: { x: 6, y: 12, w: 6, h: 5 },
    },
  ];
}

export const TILES = boardOf(0).length;
