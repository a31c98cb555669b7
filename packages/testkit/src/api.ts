/** A response of the service; JSON bodies are parsed. */
export interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

/** Options of `events`. */
export interface EventsFilter {
  /** Columns; `uuid`, `event`, `distinct_id`, `person_id`, `timestamp`, `properties` by default. */
  select?: string[];
  /** Only this event. */
  event?: string;
  limit?: number;
  offset?: number;
}

export type EventRecord = Record<string, unknown>;

/** REST calls to a running service with a personal key. */
export interface Api {
  get(path: string): Promise<Answer>;
  post(path: string, body: unknown): Promise<Answer>;
  call(
    method: string,
    path: string,
    options?: { key?: string | null; body?: unknown; headers?: Record<string, string> },
  ): Promise<Answer>;
  /** One page of stored events, newest first, from an events query. */
  events(filter?: EventsFilter): Promise<EventRecord[]>;
  /** All uuids stored in the project, duplicates included. */
  storedUuids(): Promise<string[]>;
}

const COLUMNS = ['uuid', 'event', 'distinct_id', 'person_id', 'timestamp', 'properties'];
const PAGE = 50_000;

/** A client of the API at `url`, authenticated by `personalKey`, for the key's current project. */
export function apiOf(url: string, personalKey: string): Api {
  const call: Api['call'] = async (method, path, { key = personalKey, body, headers = {} } = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    // lines of JSON are text
    const json = /json(;|$)/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text };
  };

  const events: Api['events'] = async ({ select = COLUMNS, event, limit = PAGE, offset = 0 } = {}) => {
    const query = {
      kind: 'EventsQuery',
      select,
      limit,
      offset,
      after: 'all',
      orderBy: ['timestamp desc', 'uuid'],
      ...(event ? { event } : {}),
    };
    const answer = await call('POST', '/api/projects/@current/query/', { body: { query } });
    if (answer.status !== 200) throw new Error(`The query answers ${answer.status}: ${JSON.stringify(answer.body)}`);
    return rows(answer.body);
  };

  return {
    call,
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, { body }),
    events,
    storedUuids: async () => {
      const uuids: string[] = [];
      for (let page = PAGE; page === PAGE; ) {
        const found = await events({ select: ['uuid'], limit: PAGE, offset: uuids.length });
        page = found.length;
        uuids.push(...found.map((row) => String(row['uuid'])));
      }
      return uuids;
    },
  };
}

/** Converts `{columns, results: [[…]]}` to objects. */
function rows(body: unknown): EventRecord[] {
  if (!isObject(body) || !Array.isArray(body['columns']) || !Array.isArray(body['results'])) {
    throw new Error(`Not a query result: ${JSON.stringify(body).slice(0, 500)}`);
  }
  const columns = body['columns'].map(String);
  return body['results'].map((row: unknown[]) => Object.fromEntries(columns.map((column, i) => [column, row[i]])));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
