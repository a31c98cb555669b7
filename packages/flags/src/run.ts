import { momentOf, parseDate } from './dates.js';
import type { PreparedFlag, PreparedFlags } from './prepare.js';
import { utf8 } from './sha1.js';
import type { Environment, FlagResult, Subject } from './types.js';
import { asciiLower, numberOf, own, textOf } from './value.js';

interface Texts {
  readonly text: string;
  readonly lower: string;
  /** Lower case of A to Z only. */
  readonly ascii: string;
}

/** One property of the subject. Conversions are cached, because many conditions may test the same property. */
export class Cell {
  #texts: Texts | undefined;
  #date: number | undefined;

  constructor(readonly value: unknown) {}

  get texts(): Texts {
    if (!this.#texts) {
      const text = textOf(this.value);
      this.#texts = { text, lower: text.toLowerCase(), ascii: asciiLower(text) };
    }
    return this.#texts;
  }
  get number(): number {
    return numberOf(this.value);
  }
  /** Epoch milliseconds; NaN when it is no date. */
  dateIn(timeZone: string | undefined): number {
    if (this.#date === undefined) {
      const date = parseDate(this.value);
      this.#date = date ? (date.local ? momentOf(date.at, timeZone) : date.at) : Number.NaN;
    }
    return this.#date;
  }
}

/** Array index of an owner: 0 for the person (null), then the group types. */
export const ownerOf = (group: number | null): number => (group ?? -1) + 1;

type Cells = (Cell | null | undefined)[];
/** Identifiers are truncated to this length before hashing, in Unicode scalar values. */
const LONGEST_IDENTIFIER = 200;

/** State of one evaluation: its inputs, and caches of results, properties and hashes. */
export class Run {
  /** Indexed by flag position. */
  readonly results: (FlagResult | undefined)[] = [];
  /** Indexed by cohort position; null: membership is unknown. */
  readonly cohorts: (boolean | null | undefined)[] = [];
  /** Indexed by owner (see {@link ownerOf}), then by slot. */
  readonly #cells: Cells[] = [];
  readonly #bytes = new Map<string, Uint8Array>();
  #hashed: PreparedFlag | undefined;
  readonly #shares: (number | undefined)[] = [];

  constructor(
    readonly prepared: PreparedFlags,
    readonly subject: Subject,
    readonly environment: Environment,
  ) {}

  /** A property of the person (group null) or of a group; null when it is absent. */
  cell(slot: number, group: number | null): Cell | null {
    const owner = ownerOf(group);
    const cells = this.#cells[owner] ?? [];
    this.#cells[owner] = cells;
    let cell = cells[slot];
    if (cell === undefined) {
      cell = this.#read(this.prepared.keys[slot] ?? '', group);
      cells[slot] = cell;
    }
    return cell;
  }

  #read(key: string, group: number | null): Cell | null {
    const owner = group === null ? undefined : this.subject.groups[group];
    const properties = group === null ? this.subject.personProperties : (owner?.properties ?? {});
    const value = own(properties, key);
    if (value !== undefined) return new Cell(value);
    return owner && key === '$group_key' ? new Cell(owner.key) : null;
  }

  /** Cached rollout shares of the flag under evaluation, indexed by owner. Another flag clears them. */
  sharesOf(flag: PreparedFlag): (number | undefined)[] {
    if (this.#hashed !== flag) {
      this.#hashed = flag;
      this.#shares.fill(undefined);
    }
    return this.#shares;
  }

  bytesOf(identifier: string): Uint8Array {
    let bytes = this.#bytes.get(identifier);
    if (!bytes) {
      bytes = utf8(shortened(identifier));
      this.#bytes.set(identifier, bytes);
    }
    return bytes;
  }
}

function shortened(identifier: string): string {
  return Array.from(identifier.slice(0, 2 * LONGEST_IDENTIFIER))
    .slice(0, LONGEST_IDENTIFIER)
    .join('');
}
