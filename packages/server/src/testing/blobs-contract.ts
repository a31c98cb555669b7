import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BlobEntry, Blobs } from '../ports/blobs.js';

const MB = 1024 * 1024;

/** The whole of a stream. */
async function bytesOf(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

async function listed(entries: AsyncIterable<BlobEntry>): Promise<BlobEntry[]> {
  const all: BlobEntry[] = [];
  for await (const entry of entries) all.push(entry);
  return all;
}

const PATTERN = Buffer.from(Uint8Array.from({ length: 251 }, (_, i) => i));
/** `bytes` bytes, each the number of its place. */
const numbered = (bytes: number) => Buffer.alloc(bytes, PATTERN);

/**
 * What every store of blobs does.
 * @param isAlike without large and many blobs: it is another place in a store of the same kind, which is tested with them
 */
export function blobsContract(name: string, open: () => Promise<Blobs>, { isAlike = false } = {}): void {
  describe(name, () => {
    let blobs: Blobs;
    beforeAll(async () => {
      blobs = await open();
    });
    afterAll(() => blobs?.close());

    const text = async (key: string, range?: { from: number; to?: number }) => {
      const blob = await blobs.get(key, range);
      return blob && (await bytesOf(blob.stream)).toString();
    };

    test('bytes and streams are returned unchanged, with their size', async () => {
      expect(await blobs.put('round/bytes.txt', Buffer.from('héllo'))).toEqual({ size: 6 });
      expect(await blobs.put('round/stream', Readable.from([Buffer.from('one '), Buffer.from('two')]))).toEqual({ size: 7 });
      expect(await blobs.put('round/empty', Readable.from([]))).toEqual({ size: 0 });
      expect([await text('round/bytes.txt'), await text('round/stream'), await text('round/empty')]).toEqual([
        'héllo',
        'one two',
        '',
      ]);
      expect([await blobs.size('round/bytes.txt'), await blobs.size('round/empty')]).toEqual([6, 0]);
    });

    if (!isAlike) {
      test('a stream larger than one part is stored', async () => {
        const piece = numbered(5 * MB - 3);
        await blobs.put('large', Readable.from([piece, piece, piece, piece, piece, piece, piece]));
        const blob = await blobs.get('large');
        expect(blob?.size).toBe(7 * piece.length);
        const whole = await bytesOf(blob?.stream ?? Readable.from([]));
        expect(whole.equals(Buffer.concat([piece, piece, piece, piece, piece, piece, piece]))).toBe(true);
      });
    }

    test('a range is returned, cut at the end, with the size of the whole', async () => {
      await blobs.put('ranges', Buffer.from('0123456789'));
      expect(await text('ranges', { from: 2, to: 5 })).toBe('234');
      expect(await text('ranges', { from: 7 })).toBe('789');
      expect(await text('ranges', { from: 8, to: 100 })).toBe('89');
      expect(await text('ranges', { from: 10 })).toBe('');
      expect(await text('ranges', { from: 4, to: 4 })).toBe('');
      const part = await blobs.get('ranges', { from: 2, to: 5 });
      part?.stream.destroy();
      expect(part?.size).toBe(10);
    });

    test('new content replaces the old one', async () => {
      await blobs.put('again', Buffer.from('a long first content'));
      await blobs.put('again', Buffer.from('second'));
      expect([await text('again'), await blobs.size('again')]).toEqual(['second', 6]);
    });

    test('a stream that breaks off is not stored, and the earlier content stays', async () => {
      const broken = (bytes: number) =>
        Readable.from(
          (function* () {
            yield numbered(bytes);
            throw new Error('broke off');
          })(),
        );
      await blobs.put('broken/before', Buffer.from('before'));
      for (const [key, bytes] of [
        ['broken/small', 10],
        ...(isAlike ? [] : [['broken/large', 20 * MB] as const]),
        ['broken/before', isAlike ? 10 : 20 * MB],
      ] as const) {
        await expect(blobs.put(key, broken(bytes))).rejects.toThrow('broke off');
      }
      expect(await listed(blobs.list('broken/'))).toEqual([{ key: 'broken/before', size: 6 }]);
      expect(await text('broken/before')).toBe('before');
    });

    test('a missing blob is null, and its deletion is no error', async () => {
      expect([await blobs.get('none'), await blobs.get('none', { from: 3 }), await blobs.size('none')]).toEqual([
        null,
        null,
        null,
      ]);
      await blobs.delete('none');
      await blobs.deleteAll('none/');
      expect(await listed(blobs.list('none/'))).toEqual([]);
    });

    test('blobs are listed and deleted by prefix', async () => {
      const keys = ['tree/1/a', 'tree/1/b/c', 'tree/1-2/x', 'tree/1.txt', 'tree/10/a'];
      for (const key of [...keys].reverse()) await blobs.put(key, Buffer.from(key));
      const under = async (prefix: string) => (await listed(blobs.list(prefix))).map(({ key }) => key).sort();
      expect(await under('tree/')).toEqual([...keys].sort());
      expect(await under('tree/1/')).toEqual(['tree/1/a', 'tree/1/b/c']);
      expect((await under('')).filter((key) => key.startsWith('tree/'))).toEqual([...keys].sort());
      await blobs.delete('tree/1/a');
      expect(await under('tree/1/')).toEqual(['tree/1/b/c']);
      await blobs.deleteAll('tree/1/');
      expect(await under('tree/')).toEqual(['tree/1-2/x', 'tree/1.txt', 'tree/10/a'].sort());
      await blobs.deleteAll('tree/');
      expect(await under('tree/')).toEqual([]);
    });

    if (!isAlike) {
      test('many blobs are listed and deleted in the order of their keys', async () => {
        const keys = Array.from({ length: 1_100 }, (_, i) => `many/${String(i).padStart(4, '0')}`);
        for (let at = 0; at < keys.length; at += 50) {
          await Promise.all(keys.slice(at, at + 50).map((key) => blobs.put(key, Buffer.from('x'))));
        }
        expect((await listed(blobs.list('many/'))).map(({ key }) => key)).toEqual(keys);
        await blobs.deleteAll('many/');
        expect(await listed(blobs.list('many/'))).toEqual([]);
      });
    }

    test.each(['../escape', '/etc/passwd', 'a//b', 'a/../b', '.hidden', 'a/', '', 'a b', 'a\0b', 'ä'])(
      'the key %j is refused',
      async (key) => {
        await expect(async () => blobs.put(key, Buffer.from('x'))).rejects.toThrow(RangeError);
        await expect(async () => blobs.get(key)).rejects.toThrow(RangeError);
        await expect(async () => blobs.delete(key)).rejects.toThrow(RangeError);
      },
    );

    test.each(['a', '../', '/', 'a/../'])('the prefix %j is refused', async (prefix) => {
      await expect(async () => blobs.deleteAll(prefix)).rejects.toThrow(RangeError);
      await expect(async () => listed(blobs.list(prefix))).rejects.toThrow(RangeError);
    });
  });
}
