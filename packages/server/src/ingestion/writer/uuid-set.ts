/** Slots of a table at the start; it doubles when more than half are taken. */
const FIRST_SIZE = 1 << 6;
const WORDS = 5;
/** Tables of a set: one that doubles is moved at once, which would hold up everybody if it were all. */
const TABLES = 64;

/** What is known of a pair. */
export type UuidState = 'absent' | 'claimed' | 'stored';

/**
 * Which (project, uuid) pairs are stored, and which are claimed by somebody who is about to store them: in flat memory, 20 to 80 bytes
 * each and nothing for the garbage collector to walk.
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

  /** Claims a pair that is absent; answers with what it was. */
  claim(project: number, uuid: string): UuidState {
    return this.#put(project, uuid, CLAIMED);
  }

  /** The pair is stored, if nothing was known of it. */
  add(project: number, uuid: string): void {
    this.#put(project, uuid, 0);
  }

  /** What was claimed is stored, or it is absent again. Answers false when nothing is known of the pair. */
  settle(project: number, uuid: string, isStored: boolean): boolean {
    const table = this.#tableOf(project, uuid);
    const before = table.state();
    if (before === 'claimed') table.settle(isStored);
    if (before === 'claimed' && !isStored) this.#size--;
    return before !== 'absent';
  }

  #put(project: number, uuid: string, flag: number): UuidState {
    const before = this.#tableOf(project, uuid).put(flag);
    if (before === 'absent') this.#size++;
    return before;
  }

  /** Where the pair belongs, which is {@link pair} from now on. */
  #tableOf(project: number, uuid: string): Table {
    readUuid(project, uuid);
    const table = this.#tables[(Math.imul(pair[4] ?? 0, 0x9e3779b1) >>> 16) % TABLES];
    if (!table) throw new RangeError('no such table');
    return table;
  }
}

/** Stands in the first word of a slot, beside the project: projects count from 1 and have 31 bits. */
const CLAIMED = 0x80000000;
/** The first word of a slot whose pair was dropped: others may have been put behind it. */
const DROPPED = CLAIMED;

/** Where the pairs of one set are that share some bits; its methods look for {@link pair}. */
class Table {
  #slots = new Uint32Array(FIRST_SIZE * WORDS);
  #mask = FIRST_SIZE - 1;
  /** Slots that are not free. */
  #used = 0;

  state(): UuidState {
    return stateOf(this.#slots[this.#find(this.#slots, this.#mask)]);
  }

  /** Takes in the pair if it is absent; answers with what it was. */
  put(flag: number): UuidState {
    const at = this.#find(this.#slots, this.#mask);
    const before = stateOf(this.#slots[at]);
    if (before === 'absent') {
      store(this.#slots, at, flag);
      if (++this.#used * 2 > this.#mask) this.#grow();
    }
    return before;
  }

  /** The pair is claimed. */
  settle(isStored: boolean): void {
    this.#slots[this.#find(this.#slots, this.#mask)] = isStored ? (pair[0] ?? 0) : DROPPED;
  }

  /** Index of the pair's first word, or of the free slot where it belongs. */
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
        ((slots[at] ?? 0) & ~CLAIMED) === pair[0]
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
      if (word === 0 || word === DROPPED) continue;
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
  return word >= CLAIMED ? 'claimed' : 'stored';
}

/** The pair being looked for: project and the four words of the uuid. */
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
