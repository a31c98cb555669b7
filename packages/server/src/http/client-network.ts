import { isIPv6 } from 'node:net';

/**
 * The network that a limit counts as one client: an IPv4 address, or the first 64 bits of an IPv6 address, as providers hand out
 * these to one customer. An IPv4 address in IPv6 notation (`::ffff:192.0.2.1`) counts as the IPv4 address.
 */
export function clientNetwork(ip: string): string {
  const address = ip.split('%')[0] ?? '';
  if (!isIPv6(address)) return ip;
  const [, ipv4] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (ipv4 !== undefined) return ipv4;
  const [before = '', after] = address.split('::');
  const head = groupsOf(before);
  const tail = after === undefined ? [] : groupsOf(after);
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return `${[...head, ...zeros, ...tail]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

/** The groups of 16 bits of a part of an address; an IPv4 address at its end counts as two, which are never among the first four. */
const groupsOf = (part: string): string[] =>
  part === '' ? [] : part.split(':').flatMap((g) => (g.includes('.') ? ['0', '0'] : [g]));
