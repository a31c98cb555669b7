import { expect } from 'vitest';
import { systemIds } from '../adapters/system/index.js';
import type { TestService } from './service.js';

/** A personal key of the owner with these scopes alone. */
export async function keyWith(service: TestService, ...scopes: string[]): Promise<string> {
  const login = await service.app.inject({
    method: 'POST',
    url: '/api/login/',
    payload: { email: 'owner@example.com', password: 'a long and strong passphrase 42' },
  });
  const [cookie] = login.cookies;
  const made = await service.app.inject({
    method: 'POST',
    url: '/api/personal_api_keys/',
    headers: { cookie: `${cookie?.name}=${cookie?.value}` },
    payload: { label: `key ${systemIds.token(8)}`, scopes },
  });
  expect([made.statusCode, made.body]).toEqual([201, expect.anything()]);
  return made.json().value;
}
