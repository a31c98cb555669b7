/** Initial slots of a table; it doubles when more than half are used. */
const FIRST_SIZE = 1 << 6;
const WORDS = 5;
/** Tables of a set: a table is rehashed in one go, and rehashing all pairs at once would block the event loop. */
const TABLES = 64;

/** State of a pair. */
export type UuidState = 'absent' | 'reserved' | 'stored';

/**
 * Set of (project, uuid) pairs that are stored, or reserved by a group that is about to store them. Open addressing in typed arrays: 20 to
 * 80 bytes a pair, and nothing for the garbage collector to traverse.
 *
 *     absent --reserve--> reserved --settle(true)--> stored
 *        ^                   |
 *        +---settle(false)---+
 */
export class UuidSet {
  readonly #tables = Array.from({ length: TABLES }, () => new Table());
  #size = 0;

  get size(): number {
    return this.#size;
  }

  state(project: number, uuid: string): UuidState {
    return this.#tableOf(project, uuid).state();
  }

  /** Reserves an absent pair. Returns its state before. */
  reserve(project: number, uuid: string): UuidState {
    return this.#put(project, uuid, RESERVED);
  }

  /** Marks an absent pair as stored. */
  add(project: number, uuid: string): void {
    this.#put(project, uuid, 0);
  }

  /** Ends a reservation: the pair is stored, or absent again. Returns false if the pair is absent. */
  settle(project: number, uuid: string, isStored: boolean): boolean {
    const table = this.#tableOf(project, uuid);
    const before = table.state();
    if (before === 'reserved') table.settle(isStored);
    if (before === 'reserved' && !isStored) this.#size--;
    return before !== 'absent';
  }

  #put(project: number, uuid: string, flag: number): UuidState {
    const before = this.#tableOf(project, uuid).put(flag);
    if (before === 'absent') this.#size++;
    return before;
  }

  /** Loads the pair into {@link pair} and returns its table. */
  #tableOf(project: number, uuid: string): Table {
    readUuid(project, uuid);
    const table = this.#tables[(Math.imul(pair[4] ?? 0, 0x9e3779b1) >>> 16) % TABLES];
    if (!table) throw new RangeError('no such table');
    return table;
  }
}

/** Flag in the first word of a slot, beside the project id, which has 31 bits and starts at 1. */
const RESERVED = 0x80000000;
/** First word of a slot whose pair was removed; probing continues past it. */
const TOMBSTONE = RESERVED;

/** Hash table with linear probing for the pairs of one shard; its methods operate on {@link pair}. */
class Table {
  #slots = new Uint32Array(FIRST_SIZE * WORDS);
  #mask = FIRST_SIZE - 1;
  /** Slots that are not free. */
  #used = 0;

  state(): UuidState {
    return stateOf(this.#slots[this.#find(this.#slots, this.#mask)]);
  }

  /** Inserts an absent pair. Returns its state before. */
  put(flag: number): UuidState {
    const at = this.#find(this.#slots, this.#mask);
    const before = stateOf(this.#slots[at]);
    if (before === 'absent') {
      store(this.#slots, at, flag);
      if (++this.#used * 2 > this.#mask) this.#grow();
    }
    return before;
  }

  /** Precondition: the pair is reserved. */
  settle(isStored: boolean): void {
    this.#slots[this.#find(this.#slots, this.#mask)] = isStored ? (pair[0] ?? 0) : TOMBSTONE;
  }

  /** Index of the pair's first word, or of the free slot for it. */
  #find(slots: Uint32Array, mask: number): number {
    let slot =
      (Math.imul((pair[1] ?? 0) ^ Math.imul(pair[4] ?? 0, 0x9e3779b1) ^ (pair[2] ?? 0), 0x85ebca6b) ^ (pair[3] ?? 0)) & mask;
    for (;;) {
      const at = slot * WORDS;
      if (slots[at] === 0) return at;
      if (
        slots[at + 1] === pair[1] &&
        slots[at + 2] === pair[2] &&
        slots[at + 3] === pair[3] &&
        slots[at + 4] === pair[4] &&
        ((slots[at] ?? 0) & ~RESERVED) === pair[0]
      ) {
        return at;
      }
      slot = (slot + 1) & mask;
    }
  }

  #grow(): void {
    const mask = (this.#mask << 1) | 1;
    const slots = new Uint32Array((mask + 1) * WORDS);
    let used = 0;
    for (let at = 0; at < this.#slots.length; at += WORDS) {
      const word = this.#slots[at] ?? 0;
      if (word === 0 || word === TOMBSTONE) continue;
      for (let i = 0; i < WORDS; i++) pair[i] = this.#slots[at + i] ?? 0;
      store(slots, this.#find(slots, mask), 0);
      used++;
    }
    this.#used = used;
    this.#slots = slots;
    this.#mask = mask;
  }
}

function stateOf(word = 0): UuidState {
  if (word === 0) return 'absent';
  return word >= RESERVED ? 'reserved' : 'stored';
}

/** The pair of the current call: project id and the four words of the uuid. Shared, so that a lookup allocates nothing. */
const pair = new Uint32Array(WORDS);

function store(slots: Uint32Array, at: number, flag: number): void {
  slots[at] = (pair[0] ?? 0) | flag;
  for (let i = 1; i < WORDS; i++) slots[at + i] = pair[i] ?? 0;
}

function readUuid(project: number, uuid: string): void {
  pair[0] = project;
  let word = 0;
  let digits = 0;
  for (let i = 0; i < uuid.length; i++) {
    const code = uuid.charCodeAt(i);
    if (code === 45) continue;
    // the low bits of a hexadecimal digit, upper or lower case
    word = (word << 4) | (code <= 57 ? code - 48 : (code & 15) + 9);
    if ((++digits & 7) === 0) {
      pair[digits >> 3] = word;
      word = 0;
    }
  }
}
