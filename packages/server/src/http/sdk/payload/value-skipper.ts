import { BACKSLASH, CLOSE_LIST, CLOSE_OBJECT, COMMA, OPEN_LIST, OPEN_OBJECT, QUOTE } from '../../../kernel/json-bytes.js';
import { SdkError } from '../sdk-error.js';

/** What one event may be at most; beyond it the whole request is refused. */
export interface ItemLimits {
  /** Of its JSON text. */
  bytes: number;
  /** Parsing takes longer by values than by bytes: 100,000 keys of one object block for 100 ms. */
  values: number;
}

const MB = 1024 * 1024;

/** The refusal of an event with more bytes than it may have. */
export const tooManyBytes = ({ bytes }: ItemLimits): SdkError =>
  new SdkError('event_too_large', `An event is larger than ${bytes / MB} MB.`);

/** White space between two values: 100 MB of it, which compress to a few hundred bytes, would take 150 ms. */
const MAX_SPACE = MB;

/** The first place from `at` that is not JSON's white space. @throws SdkError payload_too_large */
export function skipSpace(bytes: Buffer, at: number): number {
  const limit = Math.min(bytes.length, at + MAX_SPACE + 1);
  let i = at;
  while (i < limit) {
    const byte = bytes[i];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break;
    i++;
  }
  if (i - at > MAX_SPACE) throw new SdkError('payload_too_large', 'The payload has too much white space.');
  return i;
}

/** Finds where JSON values end without making them, counting what they hold. */
export class ValueSkipper {
  private values = 0;
  constructor(
    private readonly bytes: Buffer,
    private readonly item: ItemLimits,
    private readonly maxValues: number,
  ) {}

  /**
   * The place after the value that begins at `at`; what it holds need not be valid.
   * @throws SdkError event_too_large, payload_too_large
   */
  skip(at: number): number {
    const { bytes } = this;
    const limit = Math.min(bytes.length, at + this.item.bytes + 1);
    let depth = 0;
    let held = 1;
    let i = at;
    for (; i < limit; i++) {
      const byte = bytes[i];
      if (byte === QUOTE) {
        i = this.stringEnd(i, limit);
        if (depth === 0) {
          i++;
          break;
        }
      } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        depth++;
        held++;
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        if (--depth <= 0) {
          // below zero: the end of what is around a number or word
          if (depth === 0) i++;
          break;
        }
      } else if (byte === COMMA) {
        if (depth === 0) break;
        held++;
      }
    }
    this.count(held);
    if (i - at > this.item.bytes) throw tooManyBytes(this.item);
    return i;
  }

  /** The place of the closing quote, or `limit`. */
  private stringEnd(open: number, limit: number): number {
    const { bytes } = this;
    let i = open + 1;
    while (i < limit && bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1;
    return Math.min(i, limit);
  }

  private count(held: number): void {
    this.values += held;
    if (held > this.item.values) throw new SdkError('event_too_large', 'An event holds too many values.');
    if (this.values > this.maxValues) throw new SdkError('payload_too_large', 'The payload holds too many values.');
  }
}
