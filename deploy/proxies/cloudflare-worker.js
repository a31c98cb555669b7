// A Cloudflare Worker on the route www.example.com/t/*: passes requests on to Tidemark, with the address of the visitor. Its variable
// TIDEMARK is the address of Tidemark, such as https://analytics.example.com.
const PREFIX = '/t';

export default {
  /** @param {Request} request @param {{ TIDEMARK: string }} env @returns {Promise<Response>} */
  async fetch(request, env) {
    const { pathname, search } = new URL(request.url);
    const headers = new Headers(request.headers);
    // cookies of the site are none of Tidemark's business
    headers.delete('cookie');
    const address = request.headers.get('cf-connecting-ip');
    if (address) headers.set('x-forwarded-for', address);
    const body = request.method === 'GET' || request.method === 'HEAD' ? null : request.body;
    const target = env.TIDEMARK + pathname.slice(PREFIX.length) + search;
    return fetch(target, { method: request.method, headers, body, redirect: 'manual', duplex: 'half' });
  },
};
