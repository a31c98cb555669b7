/**
 * Splits an address that names several servers into one address for each, in their order: `http://a:1,b:2/db` is `http://a:1/db` and
 * `http://b:2/db`. As in libpq, the parameters `host` and `port` may name them as well.
 * @returns an empty list if it is no address of servers
 */
export function splitAddress(address: string): string[] {
  const [, scheme = '', user = '', hosts = '', rest = ''] = /^([a-z]+:\/\/)([^/?#]*@)?([^/?#@]*)(.*)$/is.exec(address) ?? [];
  const [path = '', query = ''] = rest.split(/\?(.*)/s);
  const params = new URLSearchParams(query);
  const named = params.get('host')?.split(',');
  const ports = params.get('port')?.split(',') ?? [];
  const servers = (named ?? hosts.split(',')).map((host, index, all) => {
    if (host === '' && all.length > 1) return '';
    if (!named) return `${scheme}${user}${host}${rest}`;
    const own = new URLSearchParams(params);
    own.set('host', host);
    const port = ports.length > 1 ? ports[index] : ports[0];
    if (port) own.set('port', port);
    return `${scheme}${user}${hosts}${path}?${own}`;
  });
  const fits = ports.length <= 1 || ports.length === servers.length;
  return scheme !== '' && fits && servers.every((server) => URL.canParse(server)) ? servers : [];
}

/** The host and port of an address, for a message; without the password that it may contain. */
export function hostOf(address: string): string {
  const url = new URL(address);
  const port = url.searchParams.get('port') ?? url.port;
  return `${url.searchParams.get('host') ?? url.hostname}${port && `:${port}`}`;
}
