/** Names longer than this are values that got into the names. */
const MAX_LENGTH = 400;
const MAX_NAMES = 10_000;
const MAX_PAIRS = 50_000;
/** Properties of one event name. */
const MAX_PROPERTIES = 1_000;

/** One event name and the properties it came with. */
interface SeenEvent {
  properties: Set<string>;
}

/** Which names of one project were seen in the present hour. */
export class Seen {
  readonly events = new Map<string, SeenEvent>();
  /** Names of properties, by what has them: `event`, `person`, `group0`… */
  readonly properties = new Map<string, Set<string>>();
  /** Whether the project is noted as one that has events. */
  isIngested = false;
  #pairs = 0;
  #size = 0;
  readonly #total: { names: number };

  /** @param total counts the names and pairs of all projects */
  constructor(total: { names: number }) {
    this.#total = total;
  }

  /** Names and pairs that are held. */
  get size(): number {
    return this.#size;
  }

  #count(): void {
    this.#size++;
    this.#total.names++;
  }

  /** The event's entry; `isNew` when it was not there. Null when the name is not to be kept. */
  event(name: string): { seen: SeenEvent; isNew: boolean } | null {
    const known = this.events.get(name);
    if (known) return { seen: known, isNew: false };
    if (name.length > MAX_LENGTH || this.events.size >= MAX_NAMES) return null;
    const seen = { properties: new Set<string>() };
    this.events.set(name, seen);
    this.#count();
    return { seen, isNew: true };
  }

  /** Whether the pair is new and to be kept. */
  isNew(seen: SeenEvent, property: string): boolean {
    if (seen.properties.has(property)) return false;
    return property.length <= MAX_LENGTH && seen.properties.size < MAX_PROPERTIES && this.#pairs < MAX_PAIRS;
  }

  /** The same, and remembers it. */
  pair(seen: SeenEvent, property: string): boolean {
    if (!this.isNew(seen, property)) return false;
    seen.properties.add(property);
    this.#pairs++;
    this.#count();
    return true;
  }

  /** Whether the name is new and to be kept. */
  property(owner: string, name: string): boolean {
    let names = this.properties.get(owner);
    if (!names) {
      names = new Set();
      this.properties.set(owner, names);
    }
    if (names.has(name) || name.length > MAX_LENGTH || names.size >= MAX_NAMES) return false;
    names.add(name);
    this.#count();
    return true;
  }
}
