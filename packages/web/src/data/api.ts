import { type components, createApiClient } from '@tidemark/api';

export const api = createApiClient();

export type Schemas = components['schemas'];

/** Why a request failed, as the API says it. Queries and mutations reject with it. */
export class ApiFailure extends Error {
  override name = 'ApiFailure';
  constructor(
    /** HTTP status; 599: no response. */
    readonly status: number,
    readonly code: string,
    detail: string,
    /** The field at fault; null: the whole request. */
    readonly attr: string | null,
  ) {
    super(detail);
  }
}

interface Answer {
  data?: unknown;
  error?: unknown;
  response: Response;
}

let onSessionEnded = () => {};

/** Calls back when an answer says that nobody is logged in. */
export function listenToSessionEnd(listener: () => void): void {
  onSessionEnded = listener;
}

/** Codes of answers without a session; a log-in with a wrong password has another one. */
const LOGGED_OUT: readonly string[] = ['not_authenticated', 'authentication_failed'];

/** The data of an answer. @throws ApiFailure for an error */
export async function unwrap<A extends Answer>(answer: Promise<A>): Promise<Exclude<A['data'], undefined>> {
  const { data, error, response } = await answer;
  noteBuild(response);
  if (response.ok) return data as Exclude<A['data'], undefined>;
  const { code = 'error', detail = response.statusText, attr = null } = (error ?? {}) as Partial<Schemas['Error']>;
  if (LOGGED_OUT.includes(code)) onSessionEnded();
  throw new ApiFailure(response.status, code, detail, attr);
}

/** The build that the service reports with each answer, and the first one that this tab saw. */
let firstBuild: string | null = null;
let currentBuild: string | null = null;

function noteBuild({ headers }: Response): void {
  currentBuild = headers.get('x-tidemark-build') ?? currentBuild;
  firstBuild ??= currentBuild;
}

/** Whether the service was upgraded since this tab was loaded: the next navigation should load the page anew. */
export const isOutdated = (): boolean => firstBuild !== currentBuild;
