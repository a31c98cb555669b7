/** Slots of a table at the start; it doubles when more than half are taken. */
const FIRST_SIZE = 1 << 6;
const WORDS = 5;
/** Tables of a set: one that doubles is moved at once, which would hold up everybody if it were all. */
const TABLES = 64;

/** A set of (project, uuid) pairs in flat memory: 20 to 80 bytes each and nothing for the garbage collector to walk. */
export class UuidSet {
  readonly #tables = Array.from({ length: TABLES }, () => new Table());
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(project: number, uuid: string): boolean {
    readUuid(project, uuid);
    return this.#table().has();
  }

  add(project: number, uuid: string): void {
    readUuid(project, uuid);
    if (this.#table().add()) this.#size++;
  }

  #table(): Table {
    const table = this.#tables[(Math.imul(pair[4] ?? 0, 0x9e3779b1) >>> 16) % TABLES];
    if (!table) throw new RangeError('no such table');
    return table;
  }
}

/** Where the pairs of one set are that share some bits; looks for {@link pair}. */
class Table {
  #slots = new Uint32Array(FIRST_SIZE * WORDS);
  #mask = FIRST_SIZE - 1;
  #size = 0;

  has(): boolean {
    return this.#slots[this.#find(this.#slots, this.#mask)] !== 0;
  }

  /** Whether it was not there. */
  add(): boolean {
    const at = this.#find(this.#slots, this.#mask);
    if (this.#slots[at] !== 0) return false;
    store(this.#slots, at);
    if (++this.#size * 2 > this.#mask) this.#grow();
    return true;
  }

  /** Index of the pair's first word, or of the free slot where it belongs. Projects count from 1, so 0 is free. */
  #find(slots: Uint32Array, mask: number): number {
    let slot =
      (Math.imul((pair[1] ?? 0) ^ Math.imul(pair[4] ?? 0, 0x9e3779b1) ^ (pair[2] ?? 0), 0x85ebca6b) ^ (pair[3] ?? 0)) & mask;
    for (;;) {
      const at = slot * WORDS;
      if (slots[at] === 0) return at;
      if (
        slots[at] === pair[0] &&
        slots[at + 1] === pair[1] &&
        slots[at + 2] === pair[2] &&
        slots[at + 3] === pair[3] &&
        slots[at + 4] === pair[4]
      ) {
        return at;
      }
      slot = (slot + 1) & mask;
    }
  }

  #grow(): void {
    const mask = (this.#mask << 1) | 1;
    const slots = new Uint32Array((mask + 1) * WORDS);
    for (let at = 0; at < this.#slots.length; at += WORDS) {
      if (this.#slots[at] === 0) continue;
      for (let i = 0; i < WORDS; i++) pair[i] = this.#slots[at + i] ?? 0;
      store(slots, this.#find(slots, mask));
    }
    this.#slots = slots;
    this.#mask = mask;
  }
}

/** The pair being looked for: project and the four words of the uuid. */
const pair = new Uint32Array(WORDS);

function store(slots: Uint32Array, at: number): void {
  for (let i = 0; i < WORDS; i++) slots[at + i] = pair[i] ?? 0;
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
