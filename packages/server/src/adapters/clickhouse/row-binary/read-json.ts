import type { Json, JsonObject } from '../../../kernel/json.js';
import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  DOT,
  MINUS,
  NINE,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  SPACE,
  ZERO,
} from '../../../kernel/json-bytes.js';
import type { ReadProperties } from '../../../ports/events.js';
import type { BytesWriter } from './bytes.js';
import { TYPE } from './columns.js';
import { MAX_NAME, NameLists, type NameNode } from './name-lists.js';
import { writeMember, writeNumber } from './write-json.js';

/** Longer objects are left to the usual way, in bytes. */
const MAX_LENGTH = 64 * 1024;
/** Deeper values are left to the usual way. */
const MAX_DEPTH = 16;
/** Digits that every number keeps. */
const SAFE_DIGITS = 15;
const POWERS_OF_TEN = Array.from({ length: SAFE_DIGITS + 1 }, (_, exponent) => 10 ** exponent);

const [N, T, F, U, UPPER_E, E] = [0x6e, 0x74, 0x66, 0x75, 0x45, 0x65];

/** What an object inside may hold that parsing as a whole treats in its own way: prototypes, long distinct ids, two names for one path. */
const ODD_INSIDE = /__proto__|distinct_id|%2E/;

/**
 * Reads JSON text of an object straight into the engine's form, byte by byte: that takes a third of the time of parsing it and writing the object.
 * It takes what most events have, and leaves everything else to be parsed.
 *
 *     object = "{" [ member { "," member } ] "}" ;
 *     member = '"' name '"' ":" value ;          name: printable ASCII without dots and percent signs, each once
 *     value  = string | number | "true" | "false" | "null" | list | object ;     without "\u"
 */
export class JsonReader {
  readonly #names: NameLists;
  /** The bytes being read, and where. */
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  #limit = 0;

  /** @param selected names of members that are returned as values, too */
  constructor(
    private readonly to: BytesWriter,
    selected: ReadonlySet<string>,
  ) {
    this.#names = new NameLists(selected);
  }

  /**
   * Reads the object that begins at `at` of bytes that are UTF-8.
   * @returns null: it must be parsed, and may be no JSON at all
   */
  read(bytes: Buffer, at: number): ReadProperties | null {
    this.#bytes = bytes;
    this.#at = at;
    this.#limit = Math.min(bytes.length, at + MAX_LENGTH);
    const { to } = this;
    const hole = to.hole();
    const values: JsonObject = {};
    let node: NameNode | null = this.#names.root;
    let count = 0;
    if (bytes[this.#at++] !== OPEN_OBJECT) return this.#giveUp();
    if (this.#next() === CLOSE_OBJECT) this.#at++;
    else {
      for (;;) {
        if (this.#next() !== QUOTE) return this.#giveUp();
        this.#at++;
        node = this.#name(node);
        if (!node || this.#next() !== COLON) return this.#giveUp();
        this.#at++;
        const first = this.#next();
        const valueAt = this.#at;
        if (first === N) {
          if (!this.#word('null')) return this.#giveUp();
          node = node.whenNull();
        } else {
          const written = this.#value(node, first);
          if (written < 0) return this.#giveUp();
          count += written;
        }
        if (node.isSelected)
          values[node.name] = first === T || first === F ? first === T : JSON.parse(bytes.toString('utf8', valueAt, this.#at));
        const separator = this.#next();
        this.#at++;
        if (separator === CLOSE_OBJECT) break;
        if (separator !== COMMA) return this.#giveUp();
      }
    }
    to.fill(hole, count);
    const end = this.#at;
    return { encoded: to.take(), names: node, selected: values, end, parse: () => JSON.parse(bytes.toString('utf8', at, end)) };
  }

  #giveUp(): null {
    this.to.drop();
    return null;
  }

  /** The byte after white space; NaN at the end of what may be read. */
  #next(): number {
    const bytes = this.#bytes;
    while (this.#at < this.#limit) {
      const byte = bytes[this.#at] ?? 0;
      if (byte > SPACE) return byte;
      if (byte !== SPACE && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return Number.NaN;
      this.#at++;
    }
    return Number.NaN;
  }

  /** Reads a name and its closing quote. */
  #name(node: NameNode): NameNode | null {
    const bytes = this.#bytes;
    const from = this.#at;
    const { last } = node;
    if (last) {
      const { encoded } = last;
      const { length } = encoded;
      let i = 1;
      while (i < length && bytes[from + i - 1] === encoded[i]) i++;
      if (i === length && bytes[from + length - 1] === QUOTE) {
        this.#at = from + length;
        return last;
      }
    }
    let end = from;
    while (end - from <= MAX_NAME && end < this.#limit && bytes[end] !== QUOTE) end++;
    this.#at = end + 1;
    return bytes[end] === QUOTE ? this.#names.next(node, bytes, from, end) : null;
  }

  /** Reads and writes a member. @returns how many members were written, -1: it must be parsed */
  #value(node: NameNode, first: number): number {
    const { to } = this;
    if (first === QUOTE) return this.#text(node);
    if (first === MINUS || (first >= ZERO && first <= NINE)) return this.#number(node);
    if (first === T || first === F) {
      if (!this.#word(first === T ? 'true' : 'false')) return -1;
      to.copy(node.encoded, 0, node.encoded.length);
      to.byte(TYPE.bool);
      to.byte(Number(first === T));
      return 1;
    }
    return first === OPEN_LIST || first === OPEN_OBJECT ? this.#inner(node) : -1;
  }

  #text(node: NameNode): number {
    const { to } = this;
    const bytes = this.#bytes;
    const from = this.#at + 1;
    const before = to.hole(0);
    to.copy(node.encodedText, 0, node.encodedText.length);
    const end = to.quoted(bytes, from, this.#limit);
    if (end < 0) {
      to.backTo(before);
      return this.#inner(node);
    }
    this.#at = end + 1;
    return 1;
  }

  #number(node: NameNode): number {
    const bytes = this.#bytes;
    const from = this.#at;
    const isNegative = bytes[from] === MINUS;
    const digitsAt = isNegative ? from + 1 : from;
    let at = digitsAt;
    let value = 0;
    let byte = bytes[at] ?? 0;
    for (; byte >= ZERO && byte <= NINE; byte = bytes[++at] ?? 0) value = value * 10 + byte - ZERO;
    let digits = at - digitsAt;
    if (digits === 0 || (digits > 1 && bytes[digitsAt] === ZERO)) return -1;
    if (byte === DOT) {
      const fractionAt = ++at;
      byte = bytes[at] ?? 0;
      for (; byte >= ZERO && byte <= NINE; byte = bytes[++at] ?? 0) value = value * 10 + byte - ZERO;
      const fraction = at - fractionAt;
      digits += fraction;
      if (fraction === 0) return -1;
      // both are exact, so the quotient is the nearest number
      if (digits <= SAFE_DIGITS) value /= POWERS_OF_TEN[fraction] ?? 1;
    }
    if (byte === E || byte === UPPER_E) return -1;
    this.#at = at;
    const { to } = this;
    to.copy(node.encoded, 0, node.encoded.length);
    if (digits > SAFE_DIGITS) writeNumber(to, Number(bytes.toString('latin1', from, at)));
    else writeNumber(to, isNegative ? -value : value);
    return 1;
  }

  /** Parses a list, an object or a text with escapes, and writes it. */
  #inner(node: NameNode): number {
    const from = this.#at;
    const end = this.#endOfInner();
    if (end < 0) return -1;
    const text = this.#bytes.toString('utf8', from, end);
    if (ODD_INSIDE.test(text)) return -1;
    let value: Json;
    try {
      value = JSON.parse(text);
    } catch {
      return -1;
    }
    this.#at = end;
    return writeMember(this.to, node.name, value);
  }

  /** Where a list, an object or a text ends; -1: too far or too deep. */
  #endOfInner(): number {
    const bytes = this.#bytes;
    const limit = this.#limit;
    let depth = 0;
    for (let i = this.#at; i < limit; i++) {
      const byte = bytes[i];
      if (byte === QUOTE) {
        for (i++; i < limit && bytes[i] !== QUOTE; i++) {
          if (bytes[i] !== BACKSLASH) continue;
          if (bytes[++i] === U) return -1;
        }
        if (depth === 0) return i < limit ? i + 1 : -1;
      } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        if (++depth > MAX_DEPTH) return -1;
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
        if (--depth === 0) return i + 1;
      }
    }
    return -1;
  }

  #word(word: string): boolean {
    for (let i = 0; i < word.length; i++) if (this.#bytes[this.#at + i] !== word.charCodeAt(i)) return false;
    this.#at += word.length;
    return true;
  }
}
