import { projectRoute } from './app/project-route.js';
import { rootRoute } from './app/root-route.js';
import { activityRoute } from './screens/activity/route.js';
import { alertsRoute } from './screens/alerts/route.js';
import { annotationsRoute } from './screens/annotations/route.js';
import { cohortRoute, newCohortRoute } from './screens/cohort/route.js';
import { cohortsRoute } from './screens/cohorts/route.js';
import { dashboardRoute } from './screens/dashboard/route.js';
import { dashboardsRoute } from './screens/dashboards/route.js';
import { definitionsRoute } from './screens/definitions/route.js';
import { earlyAccessRoute } from './screens/early-access/route.js';
import { eventsRoute } from './screens/events/route.js';
import { experimentRoute, newExperimentRoute } from './screens/experiment/route.js';
import { experimentsRoute } from './screens/experiments/route.js';
import { exportsRoute } from './screens/exports/route.js';
import { flagRoute, newFlagRoute } from './screens/flag/route.js';
import { flagsRoute } from './screens/flags/route.js';
import { groupRoute } from './screens/group/route.js';
import { groupsRoute } from './screens/groups/route.js';
import { homeRoute } from './screens/home/route.js';
import { insightRoute, newInsightRoute } from './screens/insight/route.js';
import { insightsRoute } from './screens/insights/route.js';
import { installRoute } from './screens/install/route.js';
import { inviteRoute } from './screens/invite/route.js';
import { loginRoute } from './screens/login/route.js';
import { personRoute } from './screens/person/route.js';
import { personsRoute } from './screens/persons/route.js';
import { recordingRoute, recordingsRoute } from './screens/recordings/route.js';
import { resetRoute } from './screens/reset/route.js';
import { settingsRoutes } from './screens/settings/route.js';
import { setupRoute } from './screens/setup/route.js';
import { sqlRoute } from './screens/sql/route.js';
import { startRoute } from './screens/start/route.js';
import { newSurveyRoute, surveyRoute } from './screens/survey/route.js';
import { surveysRoute } from './screens/surveys/route.js';

/** Every screen of the app, by its address. Each line's module says what its address means. */
export const routeTree = rootRoute.addChildren([
  startRoute,
  setupRoute,
  loginRoute,
  inviteRoute,
  resetRoute,
  projectRoute.addChildren([
    homeRoute,
    installRoute,
    eventsRoute,
    dashboardsRoute,
    dashboardRoute,
    insightsRoute,
    newInsightRoute,
    insightRoute,
    alertsRoute,
    personsRoute,
    personRoute,
    groupsRoute,
    groupRoute,
    cohortsRoute,
    newCohortRoute,
    cohortRoute,
    recordingsRoute,
    recordingRoute,
    definitionsRoute,
    annotationsRoute,
    activityRoute,
    exportsRoute,
    flagsRoute,
    newFlagRoute,
    earlyAccessRoute,
    flagRoute,
    experimentsRoute,
    newExperimentRoute,
    experimentRoute,
    surveysRoute,
    newSurveyRoute,
    surveyRoute,
    sqlRoute,
    ...settingsRoutes,
  ]),
]);
