import { everyMember } from '../../testing/every-member.js';
import { INSIGHT_MEMBERS } from '../../testing/insight-members.js';
import { lifecycleSchema } from '../kinds/lifecycle/lifecycle-schema.js';

const node = (event: string) => ({ kind: 'EventsNode', event });
const BASE = {
  kind: 'LifecycleQuery',
  series: [node('$pageview')],
  dateRange: { date_from: '2024-03-18', date_to: '2024-03-26' },
};

// the members of the series are those of trends
everyMember(
  lifecycleSchema,
  BASE,
  {
    ...INSIGHT_MEMBERS,
    'dateRange.explicitDate': {
      from: { dateRange: { date_from: '2024-03-20', date_to: '2024-03-28' } },
      to: { dateRange: { explicitDate: true } },
    },
    kind: { to: { kind: 'Lifecycle' }, refusedAt: 'kind' },
    interval: { to: { interval: 'week' } },
    series: { to: { series: [node('bought')] } },
    // which of the lines are drawn: all four are in every answer
    lifecycleFilter: 'a name',
    'lifecycleFilter.toggledLifecycles': 'a name',
  },
  ['series'],
);
