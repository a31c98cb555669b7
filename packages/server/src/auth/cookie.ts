import type { FastifyReply, FastifyRequest } from 'fastify';

const NAME = 'tidemark_session';

/** The value of the session cookie, or null. */
export function readSessionCookie(request: FastifyRequest): string | null {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [name, value] = pair.trim().split('=');
    if (name === NAME && value) return value;
  }
  return null;
}

/** Gives the browser the session cookie for `seconds`; 0 takes it away. */
export function writeSessionCookie(request: FastifyRequest, reply: FastifyReply, value: string, seconds: number): void {
  const secure = request.protocol === 'https' ? '; Secure' : '';
  reply.header('set-cookie', `${NAME}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`);
}
