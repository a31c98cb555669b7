import { isIPv6 } from 'node:net';

/** Subjects in memory at most; beyond that, those whose longest window began first are forgotten. */
const MAX_SUBJECTS = 100_000;

/** How many requests a subject may make within `ms` milliseconds. */
interface RateLimit {
  limit: number;
  ms: number;
}

interface Window {
  start: number;
  count: number;
}

/**
 * Counts requests of this process by subject (a key, a network, a page), in windows that begin with the subject's first request, so that
 * the wait is exact.
 * @param limits shortest first; all of them hold
 * @returns counts one request at `now` (epoch milliseconds) and returns 0; or returns, without counting, the milliseconds until the next
 * request is admitted
 */
export function createRateCounter(limits: readonly RateLimit[]): (subject: string, now: number) => number {
  const longest = limits.at(-1)?.ms ?? 0;
  // in the order in which the longest windows began
  const bySubject = new Map<string, Window[]>();
  return (subject, now) => {
    const known = bySubject.get(subject);
    const windows = limits.map(({ ms }, index): Window => {
      const window = known?.[index];
      return window && !isOver(window.start, ms, now) ? window : { start: now, count: 0 };
    });
    if (windows.at(-1) !== known?.at(-1)) bySubject.delete(subject);
    bySubject.set(subject, windows);
    forgetOldest(bySubject, longest, now);
    const waits = limits.map(({ limit, ms }, index) => {
      const { start = now, count = 0 } = windows[index] ?? {};
      return count < limit ? 0 : start + ms - now;
    });
    const wait = Math.max(0, ...waits);
    if (wait === 0) for (const window of windows) window.count += 1;
    return wait;
  };
}

/** A clock that was set back ends a window too, so that no window lasts longer than it should. */
const isOver = (start: number, ms: number, now: number): boolean => now - start >= ms || now < start;

function forgetOldest(bySubject: Map<string, Window[]>, longest: number, now: number): void {
  for (const [subject, windows] of bySubject) {
    if (bySubject.size <= MAX_SUBJECTS && !isOver(windows.at(-1)?.start ?? 0, longest, now)) return;
    bySubject.delete(subject);
  }
}

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
