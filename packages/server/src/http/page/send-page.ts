import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Which sites may show a response in an iframe (`frame-ancestors`): all, this server, none. */
type Framing = '*' | "'self'" | "'none'";

/** Sends a response of a public page with its security headers: CSP, framing, no caching, no indexing, no referrer. */
export function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, type, body, framing = "'none'", nonce, hasFrame = false, hasScript = false, policy }: PageResponse,
): FastifyReply {
  const style = nonce === undefined ? '' : ` style-src 'nonce-${nonce}'; font-src 'self';`;
  const script = hasScript && nonce !== undefined ? ` script-src 'nonce-${nonce}';` : '';
  const frame = hasFrame ? " frame-src 'self';" : '';
  const form = nonce === undefined ? "'none'" : "'self'";
  const directives =
    policy ?? `default-src 'none';${style}${script}${frame} img-src 'self' data:; base-uri 'none'; form-action ${form}`;
  if (framing !== '*') reply.header('x-frame-options', framing === "'self'" ? 'SAMEORIGIN' : 'DENY');
  const hasTransport = reply.hasHeader('strict-transport-security');
  if (request.protocol === 'https' && !hasTransport) reply.header('strict-transport-security', 'max-age=31536000');
  return reply
    .code(status)
    .headers({
      'content-type': type,
      // no copies: a page must be gone as soon as it is unpublished
      'cache-control': 'private, no-store',
      'content-security-policy': `${directives}; frame-ancestors ${framing}`,
      'permissions-policy':
        'accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), microphone=(), payment=(), usb=()',
      // the address of a page is a secret
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex, nofollow, noarchive',
    })
    .send(body);
}

interface PageResponse {
  status: number;
  type: string;
  body: string | Buffer | Readable;
  framing?: Framing;
  /** Nonce of the style element. */
  nonce?: string;
  /** Whether the page has an iframe of this server. */
  hasFrame?: boolean;
  /** Whether the page has a script with the nonce. */
  hasScript?: boolean;
  /** Content-Security-Policy that replaces the default one; without `frame-ancestors`. */
  policy?: string;
}
