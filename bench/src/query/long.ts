/** As many patterns as two series may have, none of which any page has: on a million events they take more than ten seconds. */
export const LONG_QUERY = {
  kind: 'TrendsQuery',
  series: ['x', 'y'].map((end) => ({
    kind: 'EventsNode',
    event: null,
    properties: {
      type: 'OR',
      values: Array.from({ length: 199 }, (_, index) => {
        return { type: 'event', key: '$current_url', operator: 'regex', value: `([a-z]+[./:]+)+page/([0-9]+)${end}${index}$` };
      }),
    },
  })),
  dateRange: { date_from: '-90d' },
};
