import { brotliCompressSync, gzipSync } from 'node:zlib';
import lzString from 'lz-string';
import { describe, expect, test } from 'vitest';
import { decoding } from '../../../testing/decoding.js';
import { type RawRequest, readPayload } from './read-payload.js';

const JSON_TEXT = '{"event":"a? b>c~","token":"tmk_1","distinct_id":"ü"}';
const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');
const FORM = 'application/x-www-form-urlencoded';
const gz = gzipSync(JSON_TEXT);

const read = async (request: Partial<Omit<RawRequest, 'body'>> & { body?: string | Buffer }) => {
  const { body = '', ...rest } = request;
  const raw = {
    data: undefined,
    compression: undefined,
    contentType: undefined,
    contentEncoding: undefined,
    legacy: false,
    cap: 1e6,
  };
  return (await readPayload({ ...raw, ...rest, body: Buffer.from(body) }, decoding)).toString();
};

describe('the same payload in every encoding', () => {
  test.each([
    ['plain JSON', { body: JSON_TEXT }],
    ['gzip without a word', { body: gz, contentType: 'text/plain' }],
    ['gzip by header', { body: gz, contentEncoding: 'gzip' }],
    ['gzip by query', { body: gz, compression: 'gzip-js' }],
    ['base64 body', { body: base64(JSON_TEXT) }],
    ['gzip in base64 body', { body: base64(gz) }],
    ['form', { body: `data=${encodeURIComponent(base64(JSON_TEXT))}`, contentType: FORM }],
    ['form with spaces for pluses', { body: `data=${base64(JSON_TEXT).replaceAll('+', ' ')}&ip=1`, contentType: FORM }],
    ['form with plain JSON', { body: `ip=1&data=${encodeURIComponent(JSON_TEXT)}`, contentType: FORM }],
    ['form with gzip', { body: `data=${encodeURIComponent(base64(gz))}&compression=gzip-js`, contentType: FORM }],
    ['form, type with parameters', { body: `data=${encodeURIComponent(JSON_TEXT)}`, contentType: `${FORM}; charset=UTF-8` }],
    ['JSON, form type with parameters', { body: JSON_TEXT, contentType: `${FORM};charset=UTF-8` }],
    [
      'lz64 in form',
      { body: `data=${encodeURIComponent(lzString.compressToBase64(JSON_TEXT))}&compression=lz64`, contentType: FORM },
    ],
    ['lz64 by query', { body: lzString.compressToBase64(JSON_TEXT), compression: 'lz-string' }],
    ['data in query', { data: JSON_TEXT }],
    ['base64 data in query', { data: base64(JSON_TEXT) }],
    ['base64 data in query with spaces', { data: base64(JSON_TEXT).replaceAll('+', ' '), compression: 'base64' }],
    ['data in query before body', { data: base64(gz), body: 'ignored', compression: 'gzip' }],
    ['unknown compression name', { body: JSON_TEXT, compression: 'snappy', contentEncoding: 'identity' }],
    ['twice base64 on a legacy path', { body: base64(base64(JSON_TEXT)), legacy: true }],
    ['base64 in gzip on a legacy path', { body: gzipSync(base64(JSON_TEXT)), legacy: true }],
  ])('%s', async (_name, request) => {
    expect(await read(request)).toBe(JSON_TEXT);
  });

  test('base64 with pluses and slashes in its first 128 characters is decoded', async () => {
    const text = JSON.stringify({ event: '>>>???'.repeat(100) });
    expect(base64(text)).toMatch(/\+/);
    expect(await read({ body: `data=${base64(text).replaceAll('+', ' ')}`, contentType: FORM })).toBe(text);
  });
});

describe('refused payloads', () => {
  test.each([
    ['nothing', {}, 'missing_payload'],
    ['empty form', { body: 'data=', contentType: FORM }, 'missing_payload'],
    ['a form without data', { body: 'ip=1&_=12', contentType: FORM }, 'missing_payload'],
    ['JSON as a form', { body: JSON_TEXT, contentType: FORM }, 'bad_form'],
    ['not gzip though hinted', { body: JSON_TEXT, compression: 'gzip' }, 'bad_compression'],
    ['truncated gzip', { body: gz.subarray(0, -9) }, 'bad_compression'],
    ['gzip head only', { body: Buffer.from([0x1f, 0x8b, 8]) }, 'bad_compression'],
    ['not lz64 though hinted', { body: '{}{}', compression: 'lz64' }, 'bad_compression'],
    ['too large, honest about it', { body: gzipSync(Buffer.alloc(2_000_000)) }, 'payload_too_large'],
    ['too large in many members', { body: Buffer.concat(Array(8).fill(gzipSync(Buffer.alloc(200_000)))) }, 'payload_too_large'],
    ['too large, not compressed', { body: Buffer.alloc(2_000_000, 'x!') }, 'payload_too_large'],
  ])('%s', async (_name, request, code) => {
    await expect(read(request)).rejects.toMatchObject({ name: 'SdkError', code });
  });

  test('decompression stops at the limit despite a wrong declared size', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    bomb.writeUInt32LE(1000, bomb.length - 4);
    await expect(read({ body: bomb })).rejects.toMatchObject({ code: 'payload_too_large' });
  });
});

test('large payloads are decoded completely', async () => {
  const text = JSON.stringify(Array.from({ length: 20_000 }, (_, i) => ({ event: `e${i}` })));
  expect(await read({ body: gzipSync(text) })).toBe(text);
  expect(await read({ body: Buffer.concat([gzipSync(text.slice(0, 10)), gzipSync(text.slice(10))]) })).toBe(text);
  expect(await read({ body: `data=${encodeURIComponent(base64(text))}`, contentType: FORM })).toBe(text);
  await expect(read({ body: brotliCompressSync(text), contentEncoding: 'br' })).resolves.toBe(text);
});
