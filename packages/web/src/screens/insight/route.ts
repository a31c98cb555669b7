import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { insightQuery } from '../../data/insights.js';
import { isPointName } from '../../query/point-name.js';
import { lazyScreen } from '../../ui/lazy-part.js';
import { type InsightSearch, readQuestion } from './read-question.js';

const validateSearch = ({ q, dashboard, people, alert }: Record<string, unknown>): InsightSearch => ({
  ...(typeof q === 'string' && readQuestion(q) && { q }),
  ...(typeof dashboard === 'string' && /^\d+$/.test(dashboard) && { dashboard }),
  ...(typeof people === 'string' && isPointName(people) && { people }),
  ...(typeof alert === 'string' && /^(list|new|[0-9a-f-]{36})$/.test(alert) && { alert }),
});

const component = lazyScreen(() => import('./InsightScreen.js'), 'InsightScreen');

export const newInsightRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/insights/new',
  validateSearch,
  staticData: { foldsNavigation: true },
  component,
});

export const insightRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/insights/$shortId',
  validateSearch,
  staticData: { foldsNavigation: true },
  loader: ({ context: { queries }, params }) => queries.ensureQueryData(insightQuery(params.project, params.shortId)),
  component,
});
