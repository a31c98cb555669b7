import type { ClientInternals } from '@tidemark/client';
import { listen } from '../listen.js';

/**
 * Watches for requests that the page's Content-Security-Policy forbids. Such a request is not made again, since the policy of a page never
 * becomes looser: events wait in storage as if the service were down.
 */
export function respectPolicy({ platform, log }: ClientInternals): () => void {
  const { fetch } = platform;
  const forbidden: string[] = [];
  platform.fetch = async (url, request) => {
    const address = new Request(url).url;
    if (forbidden.some((start) => address.startsWith(start))) {
      log.warn(
        "Events wait: the page's Content-Security-Policy lacks this address in connect-src. Or set api_host to a proxy.",
        address,
      );
      throw address;
    }
    return fetch(url, request);
  };
  return listen(document, ['securitypolicyviolation'], (event) => {
    const { disposition, blockedURI, effectiveDirective } = event as SecurityPolicyViolationEvent;
    // a report-only policy forbids nothing; the query, which declares the compression, is not part of the address
    if (disposition === 'enforce' && effectiveDirective === 'connect-src') forbidden.push(blockedURI.replace(/\?.*/, ''));
  });
}
