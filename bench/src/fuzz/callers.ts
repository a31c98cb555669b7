import type { Service } from '@tidemark/testkit';
import { pick, type Random } from '@tidemark/testkit';
import { cookieOf, isRecord } from '../session.js';
import { chance } from './values.js';

/** A credential that requests are sent with. */
export interface Caller {
  headers: Record<string, string>;
  /** Whether it belongs to another organization than the one under test. */
  isForeign: boolean;
}

/** Ids for the common path parameters, of the organization under test. */
export interface Places {
  project_id: string;
  organization_id: string;
  user_id: string;
}

const PASSWORD = 'a fuzzer needs 3 long passwords';

/** Signs up the callers: the owner by key and by session, an invited member, and the owner of another organization. */
export async function signUpCallers(service: Service): Promise<{ any: (random: Random) => Caller; places: Places }> {
  const { email, password, personalKey } = service.account;
  const owner = cookieOf(await service.call('POST', '/api/login/', { key: null, body: { email, password } }));
  const member = cookieOf(
    await service.call('POST', `/api/signup/${await invite(service)}/`, {
      key: null,
      body: { first_name: 'Member', password: PASSWORD },
    }),
  );
  const rival = cookieOf(
    await service.call('POST', '/api/signup/', {
      key: null,
      body: { first_name: 'Rival', email: 'rival@example.org', password: PASSWORD, organization_name: 'Rivals' },
    }),
  );
  const byKey: Caller = { headers: { authorization: `Bearer ${personalKey}` }, isForeign: false };
  const byCookie = (cookie: string, isForeign = false): Caller => ({ headers: { cookie }, isForeign });
  const others: readonly [Caller, ...Caller[]] = [
    byCookie(owner),
    byCookie(owner),
    byCookie(member),
    byCookie(rival, true),
    { headers: {}, isForeign: true },
    { headers: { authorization: 'Bearer tms_nobody' }, isForeign: true },
    {
      headers: { authorization: `Bearer ${personalKey}`, cookie: 'tidemark_session=x', origin: 'https://example.net' },
      isForeign: false,
    },
  ];
  return { any: (random) => (chance(random, 0.8) ? byKey : pick(random, others)), places: await placesOf(service) };
}

async function invite(service: Service): Promise<string> {
  const { body } = await service.post('/api/organizations/@current/invites/', { target_email: 'member@example.com' });
  return idOf(body, 'id');
}

async function placesOf(service: Service): Promise<Places> {
  const [project, organization, user] = await Promise.all(
    ['/api/projects/@current/', '/api/organizations/@current/', '/api/users/@me/'].map((path) => service.get(path)),
  );
  return {
    project_id: idOf(project?.body, 'id'),
    organization_id: idOf(organization?.body, 'id'),
    user_id: idOf(user?.body, 'uuid'),
  };
}

/** @throws Error when it is missing */
function idOf(body: unknown, name: string): string {
  const id = isRecord(body) ? body[name] : undefined;
  if (typeof id !== 'string' && typeof id !== 'number') throw new Error(`No ${name} in ${JSON.stringify(body)}`);
  return String(id);
}
