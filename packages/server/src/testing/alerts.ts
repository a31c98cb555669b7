// Alerts of a running service, in time that tests move.
import { expect, vi } from 'vitest';
import { queueDueAlerts } from '../resources/alerts/index.js';
import type { TestService } from './service.js';

export interface AlertProject {
  id: number;
  call(method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE', path: string, body?: unknown): ReturnType<TestService['call']>;
  /** Captures so many events of a name at a time, each of a person of its own. */
  capture(event: string, count: number, timestamp: string, properties?: object): Promise<void>;
  insight(query: object): Promise<{ id: number; short_id: string }>;
  /** Creates an alert, and waits for its first check. */
  alert(insight: number, fields?: object): Promise<Alert>;
  read(id: string): Promise<Alert>;
  /** Goes to the next check of an alert, or to another time, and waits until it is checked. */
  checkNext(id: string, at?: string): Promise<Alert>;
}

export interface Alert {
  id: string;
  state: string;
  enabled: boolean;
  last_value: number | null;
  last_checked_at: string | null;
  last_notified_at: string | null;
  next_check_at: string;
  checks: Check[];
}

interface Check {
  id: string;
  state: string;
  calculated_value: number | null;
  message: string;
  webhook: string | null;
  webhook_error: string | null;
}

export const until = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, { timeout: 120_000, interval: 20 });

/** Sets the clock of a service. */
export const goTo = ({ clock }: TestService, time: string): void => clock.advance(Date.parse(time) - clock.now());

const FIELDS = {
  name: 'Alert',
  condition: { type: 'absolute_value' },
  threshold: { configuration: { type: 'absolute', bounds: { lower: 1 } } },
};

/** Bounds of numbers, or with `percentage` of shares. */
export const bounds = (lower: number | null, upper: number | null, type = 'absolute') => ({
  threshold: { configuration: { type, bounds: { lower, upper } } },
});

let nth = 0;

/** A new project of a service. */
export async function alertProject(service: TestService, fields: object = {}): Promise<AlertProject> {
  const made = await service.call('POST', '/api/projects/', { body: { name: 'Alerts', ...fields } });
  expect(made.statusCode, made.body).toBe(201);
  const { id, api_token: token } = made.json();
  const call: AlertProject['call'] = (method, path, body) =>
    service.call(method, `/api/projects/${id}/${path}`, body === undefined ? {} : { body });
  const read = async (alert: string): Promise<Alert> => (await call('GET', `alerts/${alert}/`)).json();
  const checked = (alert: string, before: string | undefined) =>
    until(async () => {
      const now = await read(alert);
      expect(now.checks[0]).toBeDefined();
      expect(now.checks[0]?.id).not.toBe(before);
      return now;
    });
  return {
    id,
    call,
    capture: async (event, count, timestamp, properties = {}) => {
      const batch = Array.from({ length: count }, () => ({ event, distinct_id: `person-${nth++}`, timestamp, properties }));
      const answer = await service.call('POST', '/batch/', { key: null, body: { api_key: token, batch } });
      expect(answer.statusCode, answer.body).toBe(200);
    },
    insight: async (query) => {
      const answer = await call('POST', 'insights/', { name: 'Insight', query });
      expect(answer.statusCode, answer.body).toBe(201);
      return answer.json();
    },
    alert: async (insight, given = {}) => {
      const answer = await call('POST', 'alerts/', { ...FIELDS, insight, ...given });
      expect(answer.statusCode, answer.body).toBe(201);
      return checked(answer.json().id, undefined);
    },
    read,
    checkNext: async (alert, at) => {
      const before = await read(alert);
      goTo(service, at ?? before.next_check_at);
      await queueDueAlerts(service.deps);
      return checked(alert, before.checks[0]?.id);
    },
  };
}
