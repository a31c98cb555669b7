import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../testing/service.js';

const PATHS = ['/', '/api/nothing/', '/nothing', '/api/projects/', '/%zz', '/_health', '/metrics', '/api/schema/', '/shared/x'];

describe.each([
  ['without the setting', null],
  ['with TIDEMARK_HSTS', 600],
])('%s', (_, hsts) => {
  let it: TestService;
  beforeAll(async () => {
    it = await startTestService({ hsts, trustedProxies: ['127.0.0.1'] });
  });
  afterAll(() => it?.close());

  test.each(PATHS)('%s has nosniff, and over HTTPS Strict-Transport-Security if configured', async (url) => {
    const { headers } = await it.app.inject({ url });
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers).not.toHaveProperty('strict-transport-security');
    // an address that cannot be read reaches no hook
    if (url === '/%zz') return;
    const secure = await it.app.inject({ url, headers: { 'x-forwarded-proto': 'https' } });
    const ofPublicPages = url === '/shared/x' ? 'max-age=31536000' : undefined;
    expect(secure.headers['strict-transport-security']).toBe(hsts === null ? ofPublicPages : `max-age=${hsts}`);
  });

  test('responses of capture and other methods have them too', async () => {
    for (const [method, url] of [
      ['POST', '/batch/'],
      ['POST', '/flags/?v=2'],
      ['PUT', '/api/projects/'],
      ['OPTIONS', '/api/projects/'],
      ['OPTIONS', '/batch/'],
    ] as const) {
      const { headers } = await it.app.inject({ method, url, headers: { 'x-forwarded-proto': 'https' } });
      expect(headers['x-content-type-options'], url).toBe('nosniff');
      expect(headers['strict-transport-security'], url).toBe(hsts === null ? undefined : `max-age=${hsts}`);
    }
  });
});
