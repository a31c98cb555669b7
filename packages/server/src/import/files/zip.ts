import { Readable } from 'node:stream';
import { type Entry, fromRandomAccessReader, RandomAccessReader, type ZipFile } from 'yauzl';
import { sentenceOf } from '../../kernel/errors.js';
import { ImportError } from '../import-error.js';
import type { Bytes } from './bytes.js';

/** A file in an archive. */
export interface ZipEntry {
  name: string;
  bytes: Bytes;
}

/** Lets the library read any bytes. */
class BytesReader extends RandomAccessReader {
  readonly #bytes: Bytes;

  constructor(bytes: Bytes) {
    super();
    this.#bytes = bytes;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#bytes.read(start, end), { objectMode: false });
  }
}

/**
 * The files of a zip archive, which is not unpacked.
 * @throws ImportError it is not one, or ends in the middle
 */
export async function listZip(path: string, bytes: Bytes): Promise<ZipEntry[]> {
  const broken = (error: unknown) =>
    new ImportError(`${path} cannot be read as a zip archive (${sentenceOf(error)}). Is the file complete?`);
  const zip = await new Promise<ZipFile>((resolve, reject) =>
    fromRandomAccessReader(new BytesReader(bytes), bytes.size, { lazyEntries: true, autoClose: false }, (error, file) =>
      error ? reject(broken(error)) : resolve(file),
    ),
  );
  return new Promise((resolve, reject) => {
    const entries: ZipEntry[] = [];
    zip.on('error', (error) => reject(broken(error)));
    zip.on('end', () => resolve(entries));
    zip.on('entry', (entry: Entry) => {
      if (!entry.fileName.endsWith('/'))
        entries.push({ name: entry.fileName, bytes: bytesOfEntry(zip, entry, `${path}/${entry.fileName}`) });
      zip.readEntry();
    });
    zip.readEntry();
  });
}

const STORED = 0;

const bytesOfEntry = (zip: ZipFile, entry: Entry, path: string): Bytes => ({
  size: entry.uncompressedSize,
  async *read(start, end) {
    const isWhole = start === 0 && end === entry.uncompressedSize;
    if (!isWhole && entry.compressionMethod !== STORED)
      throw new ImportError(`${path} is compressed and can only be read from its beginning: unpack the archive.`);
    if (entry.isEncrypted()) throw new ImportError(`${path} has a password: unpack the archive.`);
    const stream = await new Promise<Readable>((resolve, reject) =>
      zip.openReadStream(entry, isWhole ? {} : { start, end }, (error, opened) => (error ? reject(error) : resolve(opened))),
    );
    yield* stream as AsyncIterable<Buffer>;
  },
});
