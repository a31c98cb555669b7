import { parseCookie, type SetCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

/*
 * Cookies are read and set where a route needs them. A plugin such as `@fastify/cookie` would look for them in each request and response, on
 * the routes of SDKs as well, which use none.
 */

/** The value of a cookie of a request, or undefined. */
export const readCookie = ({ headers }: FastifyRequest, name: string): string | undefined =>
  headers.cookie === undefined ? undefined : parseCookie(headers.cookie)[name];

/**
 * Sets a cookie that scripts cannot read and that other sites do not send along; over HTTPS browsers return it over HTTPS alone.
 * @param options maxAge in seconds; 0 deletes the cookie
 */
export function setCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  value: string,
  options: Required<Pick<SetCookie, 'path' | 'maxAge'>>,
): void {
  const secure = request.protocol === 'https';
  reply.header('set-cookie', stringifySetCookie({ name, value, ...options, httpOnly: true, sameSite: 'lax', secure }));
}
