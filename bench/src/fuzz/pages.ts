import { pick, type Random } from '@tidemark/testkit';
import type { KnownIds } from './known-ids.js';
import type { FuzzRequest } from './operations.js';
import { chance, oddText, wellFormed, whole } from './values.js';

const METHODS: readonly [string, ...string[]] = ['GET', 'GET', 'GET', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH'];
/** Paths outside of the OpenAPI document; `*`: an existing or a random name. */
const PATHS: readonly [string, ...string[]] = [
  '/',
  '/shared/*',
  '/shared/*',
  '/shared/*.json',
  '/shared/*.png',
  '/shared/*/preview.png',
  '/shared/*/player',
  '/shared/*/snapshots',
  '/embedded/*',
  '/embedded/*/player',
  '/shared_dashboard/*',
  '/array/*/config',
  '/array/*/config.js',
  '/static/*',
  '/static/tidemark.js',
  '/static/array.js',
  '/static/*/*',
  '/api/schema/ui/',
  '/api/schema/ui/*',
  '/api/feature_flag/local_evaluation?token=*',
  '/api/surveys/?token=*',
  '/api/early_access_features/?token=*',
  '/v1/projects/*/settings',
  '/e/*',
  '/batch/*',
  '/api/*',
  '/api/environments/*/*/',
  '/*',
];

/** Generates requests to public pages, files and unknown paths. */
export function pageRequests(projectKey: string, ids: KnownIds): (random: Random) => FuzzRequest {
  const something = (random: Random): string => {
    if (chance(random, 0.5)) return ids.token(random) ?? projectKey;
    return chance(random, 0.3) ? projectKey : encodeURIComponent(wellFormed(oddText(random)));
  };
  return (random) => {
    const pattern = pick(random, PATHS);
    const method = pick(random, METHODS);
    const path = pattern.replaceAll('*', () => something(random));
    const search = chance(random, 0.2)
      ? `${path.includes('?') ? '&' : '?'}${new URLSearchParams([[oddText(random), oddText(random)]])}`
      : '';
    const hasBody = /^P/.test(method) || chance(random, 0.02);
    const headers: Record<string, string> = hasBody ? { 'content-type': 'application/x-www-form-urlencoded' } : {};
    if (chance(random, 0.2)) headers['if-none-match'] = chance(random, 0.5) ? '*' : '"x"';
    if (chance(random, 0.1)) headers['range'] = `bytes=${whole(random, 100)}-${whole(random, 100)}`;
    if (chance(random, 0.1)) headers['origin'] = chance(random, 0.5) ? 'https://example.net' : 'null';
    const body = hasBody ? Buffer.from(`password=${encodeURIComponent(wellFormed(oddText(random)))}`) : null;
    return {
      group: 'pages',
      operation: `pages ${pattern}`,
      collections: [],
      method,
      path: (path + search).slice(0, 12_000),
      headers,
      body,
      isForeign: true,
    };
  };
}
