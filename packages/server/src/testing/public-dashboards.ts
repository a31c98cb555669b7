import type { LightMyRequestResponse } from 'fastify';
import { startTestService, type TestService } from './service.js';

/** The query of an insight of `signed_up`, by a filter that no page may show. */
export const SIGN_UPS = {
  kind: 'TrendsQuery',
  series: [{ kind: 'EventsNode', event: 'signed_up' }],
  dateRange: { date_from: '-7d' },
  properties: [{ key: 'hidden-filter', operator: 'is_not_set', value: 'x', type: 'event' }],
};

export const signUp = (person: string, plan: string) => ({
  event: 'signed_up',
  distinct_id: person,
  properties: { plan },
});

/** The last days up to today as pages write them: `21 Nov to 28 Nov 2026`. */
export function lastDays({ clock }: TestService, count: number): string {
  const [start, end] = [clock.now() - count * 86_400_000, clock.now()].map((time) => new Date(time)) as [Date, Date];
  const month = new Intl.DateTimeFormat('en-US', { month: 'short', timeZone: 'UTC' });
  const day = (date: Date) => `${date.getUTCDate()} ${month.format(date)}`;
  const isOneYear = start.getUTCFullYear() === end.getUTCFullYear();
  return `${day(start)}${isOneYear ? '' : ` ${start.getUTCFullYear()}`} to ${day(end)} ${end.getUTCFullYear()}`;
}

/** What these tests read of a body. */
interface Body {
  id: number;
  access_token: string;
  [field: string]: unknown;
}

/** A service with the sign-ups of three people, and calls below its project. */
export interface PublicDashboards {
  it: TestService;
  /** The path of the project. */
  project: string;
  /** Captures events. */
  send(batch: object[]): Promise<void>;
  /** Calls a path below the project and resolves to the body. @throws Error for a status from 300 */
  api(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<Body>;
  visit(url: string, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
}

export async function startPublicDashboards(): Promise<PublicDashboards> {
  const it = await startTestService({ trustedProxies: ['127.0.0.1'] });
  const project = `/api/projects/${it.projectId}`;
  const ok = async (call: ReturnType<TestService['call']>): Promise<Body> => {
    const answer = await call;
    if (answer.statusCode >= 300) throw new Error(`${answer.statusCode}: ${answer.body}`);
    return answer.json();
  };
  const app: PublicDashboards = {
    it,
    project,
    send: async (batch) => void (await ok(it.call('POST', '/batch/', { key: null, body: { api_key: it.projectKey, batch } }))),
    api: (method, path, body) => ok(it.call(method, `${project}/${path}`, { body })),
    visit: async (url, headers = {}) => it.app.inject({ url, headers }),
  };
  await app.send([signUp('ann@example.com', 'free'), signUp('b', 'paid'), signUp('c', 'paid')]);
  return app;
}
