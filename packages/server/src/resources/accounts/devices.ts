import { z } from 'zod';
import { endOneSession, endOtherSessions, listSessions, userRoute } from '../../auth/index.js';
import { isoTime } from '../../http/dates.js';
import { ApiError } from '../../kernel/errors.js';
import { isUuid } from '../../kernel/ids.js';
import { requireSelf } from './routes.js';
import { userParams } from './schema.js';

const deviceSchema = z.object({
  id: z.uuid().describe('Id of the session; it opens nothing.'),
  device: z.string().describe('Browser and system, as far as the browser says.').meta({ example: 'Firefox on Linux' }),
  user_agent: z.string().describe('What the browser sent as `User-Agent`, in part.'),
  address: z.string().describe('Network address of the last use; empty: not known.'),
  created_at: z.iso.datetime().describe('When the user logged in.'),
  last_used_at: z.iso.datetime().nullable().describe('Last use, exact to a minute; null: not known.'),
  expires_at: z.iso.datetime().describe('When it ends unless it is used again.'),
  is_current: z.boolean().describe('Whether it is the session of this request.'),
});

const deviceParams = { ...userParams, session_id: z.uuid().describe('Id of the session.') };

/** Routes under `/api/users`: the login sessions of the caller. */
export const deviceRoutes = [
  userRoute({
    method: 'GET',
    path: '/:user_id/sessions/',
    params: userParams,
    scope: 'session',
    summary: 'List your login sessions, the last used first',
    status: 200,
    response: z.array(deviceSchema),
    load: requireSelf,
    handle: async (context) => {
      const sessions = await listSessions(context, context.principal.userId);
      return sessions.map((row) => ({
        id: row.public_id,
        device: deviceOf(row.user_agent),
        user_agent: row.user_agent,
        address: row.address,
        created_at: isoTime(row.created_at),
        last_used_at: row.last_used_at && isoTime(row.last_used_at),
        expires_at: isoTime(row.expires_at),
        is_current: row.isCurrent,
      }));
    },
  }),
  userRoute({
    method: 'DELETE',
    path: '/:user_id/sessions/:session_id/',
    params: deviceParams,
    scope: 'session',
    summary: 'End one of your login sessions, at once',
    status: 204,
    load: requireSelf,
    handle: async ({ params, ...context }) => {
      const id = params['session_id'] ?? '';
      if (!isUuid(id) || !(await endOneSession(context, context.principal.userId, id))) throw new ApiError('not_found');
    },
  }),
  userRoute({
    method: 'POST',
    path: '/:user_id/sessions/end_others/',
    params: userParams,
    scope: 'session',
    summary: 'End all your login sessions except that of this request, at once',
    status: 200,
    response: z.object({ ended: z.int().describe('How many there were.') }),
    load: requireSelf,
    handle: async (context) => ({ ended: await endOtherSessions(context, context.principal.userId) }),
  }),
];

/**
 * The first match counts: every browser built on Chromium also names Chrome, and all of them name Safari. Safari itself names its version;
 * Chrome that runs without a window calls itself HeadlessChrome.
 */
const BROWSERS: readonly [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOP(?:R|T|X|iOS)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:(?:Headless)?Chrome|Chromium|CriOS)\//, 'Chrome'],
  [/\bVersion\/[\d.]+ .*\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
];
const SYSTEMS: readonly [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

function deviceOf(userAgent: string): string {
  const match = (choices: readonly [RegExp, string][]) => choices.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [browser, system] = [match(BROWSERS), match(SYSTEMS)];
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? system ?? 'Unknown device';
}
