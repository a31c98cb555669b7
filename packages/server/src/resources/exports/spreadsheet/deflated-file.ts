import { createDeflateRaw, type DeflateRaw } from 'node:zlib';
import { ZipPassThrough } from 'fflate';

const EMPTY = new Uint8Array();

/** A file of a ZIP archive, compressed in zlib's thread pool while it is written. */
export class DeflatedFile extends ZipPassThrough {
  override compression = 8;
  readonly #deflate: DeflateRaw = createDeflateRaw({ level: 1, chunkSize: 64 * 1024 });
  #written: Promise<void> = Promise.resolve();

  constructor(name: string) {
    super(name);
    this.#deflate.on('data', (chunk: Buffer) => this.ondata(null, Uint8Array.from(chunk), false));
  }

  /** Compresses a chunk. Await before the next one, or chunks pile up in memory. */
  write(text: string): Promise<void> {
    this.push(Buffer.from(text), false);
    return this.#written;
  }

  /** Compresses the last chunk. */
  finish(text: string): Promise<void> {
    this.push(Buffer.from(text), true);
    return this.#written;
  }

  protected override process(chunk: Uint8Array, final: boolean): void {
    this.#written = new Promise((resolve, reject) => {
      this.#deflate.once('error', reject);
      this.#deflate.write(chunk, () => {
        this.#deflate.off('error', reject);
        if (!final) return resolve();
        this.#deflate.once('end', () => {
          this.ondata(null, EMPTY, true);
          resolve();
        });
        this.#deflate.end();
      });
    });
  }
}
