import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Who may show an answer in a frame: everybody, pages of this server, or nobody. */
type Framing = '*' | "'self'" | "'none'";

/** Sends what the public may see, with the headers that keep it where it belongs. */
export function sendPublic(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, type, body, framing = "'none'", nonce, hasFrame = false, policy }: Sent,
): FastifyReply {
  const style = nonce === undefined ? '' : ` style-src 'nonce-${nonce}';`;
  const frame = hasFrame ? " frame-src 'self';" : '';
  const form = nonce === undefined ? "'none'" : "'self'";
  const directives = policy ?? `default-src 'none';${style}${frame} img-src 'self' data:; base-uri 'none'; form-action ${form}`;
  if (framing !== '*') reply.header('x-frame-options', framing === "'self'" ? 'SAMEORIGIN' : 'DENY');
  const hasTransport = reply.hasHeader('strict-transport-security');
  if (request.protocol === 'https' && !hasTransport) reply.header('strict-transport-security', 'max-age=31536000');
  return reply
    .code(status)
    .headers({
      'content-type': type,
      // a page that is closed is closed at once
      'cache-control': 'private, no-store',
      'content-security-policy': `${directives}; frame-ancestors ${framing}`,
      'permissions-policy':
        'accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), microphone=(), payment=(), usb=()',
      // the address is a secret
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex, nofollow, noarchive',
    })
    .send(body);
}

interface Sent {
  status: number;
  type: string;
  body: string | Buffer | Readable;
  framing?: Framing;
  /** Of the style of a page. */
  nonce?: string;
  /** Whether the page has a frame of this server in it. */
  hasFrame?: boolean;
  /** In place of what a page may usually load. */
  policy?: string;
}
