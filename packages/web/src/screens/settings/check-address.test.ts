import { expect, test } from 'vitest';
import { checkAddress } from './check-address.js';

test.each([
  ['shop.example.com/cart?x=1', 'https://shop.example.com'],
  [' http://localhost:3000 ', 'http://localhost:3000'],
  ['https://*.example.com', 'https://*.example.com'],
  ['HTTPS://Shop.Example.com:443', 'https://shop.example.com'],
])('%s means the site %s', (typed, address) => {
  expect(checkAddress(typed, [])).toEqual({ address, error: null });
});

test.each(['', 'ftp://example.com', 'https://', 'two words'])('"%s" is refused with an example or the reason', (typed) => {
  expect(checkAddress(typed, [])).toMatchObject({ address: null, error: expect.stringContaining('https://') });
});

test('an address that is listed is refused', () => {
  expect(checkAddress('a.example', ['https://a.example']).error).toBe('https://a.example is in the list already.');
});
