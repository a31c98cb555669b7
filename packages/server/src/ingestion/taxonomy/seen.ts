import type { PropertyNames } from '../../ports/events.js';

/** Longer names are data in the wrong place. */
const MAX_LENGTH = 400;
const MAX_NAMES = 10_000;
const MAX_PAIRS = 50_000;
/** Limit of properties per event name. */
const MAX_PROPERTIES = 1_000;

/** The properties seen with one event name. */
export interface SeenEvent {
  properties: Set<string>;
  /** Lists of names without a new one. */
  nameLists: WeakSet<PropertyNames>;
}

/** The names of one project seen in the present hour. */
export class Seen {
  readonly events = new Map<string, SeenEvent>();
  /** Property names by owner: `event`, `person`, `group0`… */
  readonly properties = new Map<string, Set<string>>();
  /** Whether `projects.ingested_event` is written. */
  isIngested = false;
  #pairs = 0;
  #size = 0;
  readonly #total: { names: number };

  /** @param total counts the names and pairs of all projects */
  constructor(total: { names: number }) {
    this.#total = total;
  }

  /** Number of names and pairs. */
  get size(): number {
    return this.#size;
  }

  #count(): void {
    this.#size++;
    this.#total.names++;
  }

  /** The entry of an event name; `isNew`: it was added. null: the name is beyond the limits. */
  event(name: string): { seen: SeenEvent; isNew: boolean } | null {
    const known = this.events.get(name);
    if (known) return { seen: known, isNew: false };
    if (name.length > MAX_LENGTH || this.events.size >= MAX_NAMES) return null;
    const seen = { properties: new Set<string>(), nameLists: new WeakSet<PropertyNames>() };
    this.events.set(name, seen);
    this.#count();
    return { seen, isNew: true };
  }

  /** Whether the pair is new and within the limits. */
  isNew(seen: SeenEvent, property: string): boolean {
    return property.length <= MAX_LENGTH && !seen.properties.has(property) && this.hasRoom(seen);
  }

  /** Whether a pair of the event can still be new. */
  hasRoom(seen: SeenEvent): boolean {
    return seen.properties.size < MAX_PROPERTIES && this.#pairs < MAX_PAIRS;
  }

  /** As {@link isNew}, and adds the pair. */
  pair(seen: SeenEvent, property: string): boolean {
    if (!this.isNew(seen, property)) return false;
    seen.properties.add(property);
    this.#pairs++;
    this.#count();
    return true;
  }

  /** Whether the name is new and within the limits; adds it. */
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
