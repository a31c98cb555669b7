import { everyMember } from '../../testing/every-member.js';
import { PLAN_IS_FREE } from '../../testing/insight-members.js';
import { eventsSchema } from '../kinds/events/events-schema.js';

const BASE = { kind: 'EventsQuery', select: ['uuid'], after: '2024-03-18', before: '2024-03-26' };

everyMember(eventsSchema, BASE, {
  kind: { to: { kind: 'Events' }, refusedAt: 'kind' },
  select: { to: { select: ['event'] } },
  where: { to: { where: ["event = 'bought'"] } },
  properties: { to: { properties: [PLAN_IS_FREE] } },
  fixedProperties: { to: { fixedProperties: [PLAN_IS_FREE] } },
  filterTestAccounts: { to: { filterTestAccounts: true } },
  event: { to: { event: 'bought' } },
  actionId: { to: { actionId: 'x' }, refusedAt: 'actionId' },
  personId: { to: { personId: '00000000-0000-4000-8000-00000a000000' } },
  distinctId: { to: { distinctId: 'd1' } },
  orderBy: { to: { orderBy: ['timestamp asc'] } },
  limit: { to: { limit: 1 } },
  offset: { to: { offset: 1 } },
  after: { to: { after: '2024-03-25' } },
  before: { to: { before: '2024-03-19' } },
});
