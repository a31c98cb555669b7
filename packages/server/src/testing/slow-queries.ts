import { type ClientRequest, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { EventsStore } from '../ports/events.js';

/** Joins that run for minutes, told apart in the engine by the name of their column. */
export const slowSelect = (mark: string) =>
  `select count() as ${mark} from numbers(1000000) as a, numbers(1000000) as b where a.number = b.number * 2 + 1 or a.number < 0`;

/** How many statements with such a name the engine runs. */
export const running = (events: EventsStore, mark: string): Promise<number> =>
  count(events, 'SELECT count() AS n FROM system.processes WHERE query LIKE {mark:String} AND query NOT LIKE {own:String}', mark);

/** How many of them were not cancelled. */
export const wanted = (events: EventsStore, mark: string): Promise<number> =>
  count(
    events,
    'SELECT count() AS n FROM system.processes WHERE NOT is_cancelled AND query LIKE {mark:String} AND query NOT LIKE {own:String}',
    mark,
  );

async function count(events: EventsStore, sql: string, mark: string): Promise<number> {
  const { rows } = await events.query<{ n: number }>({ sql, params: { mark: `%${mark}%`, own: '%system.processes%' } });
  return rows[0]?.n ?? 0;
}

export interface Sent {
  /** Fails when the connection breaks before. */
  answer: Promise<{ status: number; json: Record<string, unknown> }>;
  /** Breaks the connection, as a client does that goes away. */
  leave(): void;
}

/** Sends a request over a connection of its own to an app that listens, with a key or the cookie of a session. */
export function send(app: FastifyInstance, method: string, path: string, key: string | { cookie: string }, body?: unknown): Sent {
  const { port } = app.server.address() as AddressInfo;
  const credentials = typeof key === 'string' ? { authorization: `Bearer ${key}` } : key;
  const headers = { ...credentials, 'content-type': 'application/json' };
  let sent: ClientRequest | undefined;
  const answer = new Promise<{ status: number; json: Record<string, unknown> }>((resolve, reject) => {
    sent = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, json: JSON.parse(text) }));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
  answer.catch(() => {});
  return { answer, leave: () => sent?.destroy() };
}
