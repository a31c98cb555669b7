import { createDeflateRaw, type DeflateRaw } from 'node:zlib';
import { ZipPassThrough } from 'fflate';

const NOTHING = new Uint8Array();

/** A file of an archive, packed beside the event loop while it is written. */
export class DeflatedFile extends ZipPassThrough {
  override compression = 8;
  readonly #packer: DeflateRaw = createDeflateRaw({ level: 1, chunkSize: 64 * 1024 });
  #taken: Promise<void> = Promise.resolve();

  constructor(name: string) {
    super(name);
    this.#packer.on('data', (chunk: Buffer) => this.ondata(null, Uint8Array.from(chunk), false));
  }

  /** Packs a piece; more should be written only when it is done. */
  write(text: string): Promise<void> {
    this.push(Buffer.from(text), false);
    return this.#taken;
  }

  /** Packs the last piece. */
  finish(text: string): Promise<void> {
    this.push(Buffer.from(text), true);
    return this.#taken;
  }

  protected override process(chunk: Uint8Array, final: boolean): void {
    this.#taken = new Promise((resolve, reject) => {
      this.#packer.once('error', reject);
      this.#packer.write(chunk, () => {
        this.#packer.off('error', reject);
        if (!final) return resolve();
        this.#packer.once('end', () => {
          this.ondata(null, NOTHING, true);
          resolve();
        });
        this.#packer.end();
      });
    });
  }
}
