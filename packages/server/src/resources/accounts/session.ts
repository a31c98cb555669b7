import { z } from 'zod';
import { authenticate, listVisibleProjects, publicRoute, userSchema, userView } from '../../auth/index.js';
import type { RequestContext } from '../../http/route.js';
import { ApiError } from '../../kernel/errors.js';
import { ADMIN, MEMBER, OWNER } from '../../kernel/rights.js';
import { listOrganizations } from '../organizations/index.js';
import { readUser, userExists } from './store.js';

/** What runs. */
export interface Release {
  version: string;
  /** Also sent as `X-Tidemark-Build`. */
  build: string;
}

const MAX_ORGANIZATIONS = 1000;

const level = z.literal([MEMBER, ADMIN, OWNER]);

const projectSchema = z.object({
  id: z.int().describe('Number of the project.'),
  uuid: z.uuid().describe('UUID of the project.'),
  name: z.string().describe('Name of the project.'),
  api_token: z.string().describe('The project API key, `tmk_…`, which is public.'),
  timezone: z.string().describe('Time zone of its numbers.'),
  is_private: z.boolean().describe('Whether only explicit members and administrators may enter.'),
  is_demo: z.boolean().describe('Whether it was made as an example.'),
  ingested_event: z.boolean().describe('Whether it has received an event.'),
  level: level.describe('Effective level of the user in it: 1 member, 8 administrator, 15 owner.'),
});

const organizationSchema = z.object({
  id: z.uuid().describe('UUID of the organization.'),
  name: z.string().describe('Name of the organization.'),
  level: level.describe('Level of the user in it: 1 member, 8 administrator, 15 owner.'),
  allow_publicly_shared_resources: z.boolean().describe('Whether dashboards and insights may be shared with the public.'),
  projects: z.array(projectSchema).describe('The projects that the user may enter, by name.'),
});

const sessionUserSchema = z.object({
  ...userSchema.shape,
  has_password: z.boolean().describe('Whether the user can log in with a password.'),
  theme_mode: z.enum(['light', 'dark', 'system']).nullable().describe('Theme of the pages; null: the default of the system.'),
});

const sessionSchema = z.object({
  version: z.string().describe('Version of the service.'),
  build: z.string().describe('Id of the build, which every response of the API has in `X-Tidemark-Build`.'),
  setup_needed: z.boolean().describe('Whether there is no account yet: `POST /api/signup/` makes the first one.'),
  features: z
    .object({
      sign_up: z.boolean().describe('Whether anybody may sign up without an invite.'),
      geoip: z.boolean().describe('Whether events get the place of their address.'),
      email: z.boolean().describe('Whether the service sends mail: false. Invites and password resets are links to pass on.'),
    })
    .describe('What this service is set up for.'),
  user: sessionUserSchema.nullable().describe('Who is logged in; null: nobody.'),
  organization_id: z.uuid().nullable().describe('The organization where the user is.'),
  project_id: z.int().nullable().describe('The project where the user is.'),
  organizations: z.array(organizationSchema).describe('The organizations of the user; empty if nobody is logged in.'),
});

/** The routes of `/api/session`. */
export const sessionRoutes = ({ version, build }: Release) => [
  publicRoute({
    method: 'GET',
    path: '/',
    scope: null,
    summary: 'Say who is logged in, where they may go, and what this service is set up for',
    description:
      'The first request of a page. It needs no credentials: without a login session `user` is null. Personal API keys do not count.',
    status: 200,
    response: sessionSchema,
    handle: async (context) => {
      const { deps } = context;
      const place = await loggedIn(context);
      return {
        version,
        build,
        setup_needed: place === null && !(await userExists(deps.db)),
        features: { sign_up: deps.config.openSignup, geoip: deps.config.geoipFile !== null, email: false },
        ...(place ?? NOBODY),
      };
    },
  }),
];

const NOBODY = { user: null, organization_id: null, project_id: null, organizations: [] };

async function loggedIn(context: RequestContext) {
  const principal = await sessionPrincipal(context);
  if (!principal) return null;
  const { db } = context.deps;
  const page = { limit: MAX_ORGANIZATIONS, offset: 0 };
  const [user, { rows }, projects] = await Promise.all([
    readUser(db, principal.userId),
    listOrganizations(db, principal.userId, null, page),
    listVisibleProjects(db, principal.userId),
  ]);
  if (!user) return null;
  return {
    user: { ...userView(user), has_password: user.has_password, theme_mode: user.theme_mode },
    organization_id: principal.currentOrganizationId,
    project_id: principal.currentProjectId,
    organizations: rows.map((row) => ({
      id: row.id,
      name: row.name,
      level: row.level,
      allow_publicly_shared_resources: row.allow_publicly_shared_resources,
      projects: projects.filter((project) => project.organization_id === row.id).map(projectView),
    })),
  };
}

const projectView = (row: Awaited<ReturnType<typeof listVisibleProjects>>[number]) => ({
  id: row.id,
  uuid: row.uuid,
  name: row.name,
  api_token: row.api_token,
  timezone: row.timezone,
  is_private: row.access_control,
  is_demo: row.is_demo,
  ingested_event: row.ingested_event,
  level: row.level,
});

/** The caller by their login session; null: none, or one that may not log in any more. */
async function sessionPrincipal(context: RequestContext) {
  try {
    const principal = await authenticate(context);
    return principal.key === null ? principal : null;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}
