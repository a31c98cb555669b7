import type { Answer } from '@tidemark/testkit';

/** The `Cookie` header for the session that a log-in response sets. @throws Error when it has none */
export function cookieOf({ status, headers, body }: Answer): string {
  const cookie = headers.getSetCookie().find((text) => text.startsWith('tidemark_session='));
  if (!cookie) throw new Error(`No session in ${status} ${JSON.stringify(body)}`);
  return cookie.split(';')[0] ?? '';
}

export const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
