import type { FastifyReply, FastifyRequest } from 'fastify';

const PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Log out</title></head>
<body>
<form method="post" action=""><p>Do you want to log out?</p><button>Log out</button></form>
</body>
</html>
`;

/** Sends a page whose button logs out; other sites can neither frame it nor send its form. */
export const sendLogoutPage = (reply: FastifyReply): FastifyReply =>
  reply
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      'x-frame-options': 'DENY',
    })
    .send(PAGE);

/** Whether a browser sent the request by a form and will show the answer. */
export const isForm = ({ headers }: FastifyRequest): boolean =>
  /^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '');
