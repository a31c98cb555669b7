import type { Properties } from './apply-properties.js';

/** A person as read from the database. */
export interface StoredPerson {
  id: number;
  projectId: number;
  uuid: string;
  /** Grows with every change; two states of one person never share a version. */
  version: number;
  /** Epoch milliseconds, UTC. */
  createdAt: number;
  isIdentified: boolean;
  /** null: not loaded, because no task of the batch can change the person. */
  properties: Properties | null;
}

/** The persons of a batch as read from the database, by {@link idKey} of their distinct ids; ids of one person share one object. */
export type Snapshot = ReadonlyMap<string, StoredPerson>;

/** Map key of a distinct id within its project. */
export const idKey = (projectId: number, distinctId: string): string => `${projectId}:${distinctId}`;

/** A person while the tasks of a batch are reduced. */
export interface PersonState {
  readonly stored: StoredPerson | null;
  readonly projectId: number;
  readonly uuid: string;
  createdAt: number;
  isIdentified: boolean;
  properties: Properties | null;
  changed: boolean;
  /** The person into which this one was merged. */
  mergedInto: PersonState | null;
}

/** The person that remains after all merges. */
export function survivor(person: PersonState): PersonState {
  let last = person;
  while (last.mergedInto) last = last.mergedInto;
  return last;
}

/** A distinct id that the batch assigns to a person. */
export interface LinkedDistinctId {
  projectId: number;
  distinctId: string;
  person: PersonState;
}

/** Unit of work of a batch: starts with the snapshot, collects the changes of all tasks, and is written once at the end. */
export class UnitOfWork {
  readonly #snapshot: Snapshot;
  readonly #states = new Map<StoredPerson, PersonState>();
  readonly #linked = new Map<string, LinkedDistinctId>();
  readonly #created: PersonState[] = [];
  /** Work since the last yield to the event loop, in properties that were applied or copied. */
  effort = 0;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }

  find(key: string): PersonState | null {
    const link = this.#linked.get(key);
    if (link) return survivor(link.person);
    const stored = this.#snapshot.get(key);
    if (!stored) return null;
    let state = this.#states.get(stored);
    if (!state) {
      const { projectId, uuid, createdAt, isIdentified, properties } = stored;
      state = { stored, projectId, uuid, createdAt, isIdentified, properties, changed: false, mergedInto: null };
      this.#states.set(stored, state);
    }
    return survivor(state);
  }

  create(person: Pick<PersonState, 'projectId' | 'uuid' | 'createdAt' | 'properties'>): PersonState {
    const state: PersonState = { ...person, stored: null, isIdentified: false, changed: true, mergedInto: null };
    this.#created.push(state);
    return state;
  }

  /** Assigns a distinct id, by its {@link idKey}, to a person. */
  link(key: string, link: LinkedDistinctId): void {
    this.#linked.set(key, link);
  }

  /** The difference to the snapshot. */
  changes(): PersonChanges {
    const touched = [...this.#states.values()].filter((state) => state.changed || state.mergedInto);
    return {
      created: this.#created.filter((state) => !state.mergedInto),
      updated: touched.filter((state) => !state.mergedInto),
      merged: touched.filter((state) => state.mergedInto),
      linked: [...this.#linked.values()].map((link) => ({ ...link, person: survivor(link.person) })),
    };
  }
}

export interface PersonChanges {
  created: PersonState[];
  updated: PersonState[];
  merged: PersonState[];
  linked: LinkedDistinctId[];
}
