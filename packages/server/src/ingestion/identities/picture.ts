import type { Properties } from './apply-properties.js';

/** A person as the database holds it. */
export interface StoredPerson {
  id: number;
  projectId: number;
  uuid: string;
  /** Grows with every change; two states of one person never share a version. */
  version: number;
  /** Epoch milliseconds, UTC. */
  createdAt: number;
  isIdentified: boolean;
  /** Null: not fetched, because no task of the batch can change the person. */
  properties: Properties | null;
}

/** Whose the distinct ids of a batch are, by {@link idKey}; ids of one person share one object. */
export type Picture = ReadonlyMap<string, StoredPerson>;

/** One text for a distinct id of a project. */
export const idKey = (projectId: number, distinctId: string): string => `${projectId}:${distinctId}`;

/** A person while the tasks of a batch are followed. */
export interface PersonState {
  readonly stored: StoredPerson | null;
  readonly projectId: number;
  readonly uuid: string;
  createdAt: number;
  isIdentified: boolean;
  properties: Properties | null;
  changed: boolean;
  /** Whose this person became part of. */
  mergedInto: PersonState | null;
}

/** Who a person is after all merges. */
export function survivor(person: PersonState): PersonState {
  let last = person;
  while (last.mergedInto) last = last.mergedInto;
  return last;
}

/** A distinct id that has found its person. */
export interface Attachment {
  projectId: number;
  distinctId: string;
  person: PersonState;
}

/** The state of the persons of a batch; starts as the database's and is changed task by task. */
export class World {
  readonly #picture: Picture;
  readonly #states = new Map<StoredPerson, PersonState>();
  readonly #attached = new Map<string, Attachment>();
  readonly #created: PersonState[] = [];

  constructor(picture: Picture) {
    this.#picture = picture;
  }

  find(key: string): PersonState | null {
    const attachment = this.#attached.get(key);
    if (attachment) return survivor(attachment.person);
    const stored = this.#picture.get(key);
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

  attach(key: string, attachment: Attachment): void {
    this.#attached.set(key, attachment);
  }

  /** What is no longer as the database has it. */
  changes(): WorldChanges {
    const touched = [...this.#states.values()].filter((state) => state.changed || state.mergedInto);
    return {
      created: this.#created.filter((state) => !state.mergedInto),
      updated: touched.filter((state) => !state.mergedInto),
      merged: touched.filter((state) => state.mergedInto),
      attached: [...this.#attached.values()].map((attachment) => ({ ...attachment, person: survivor(attachment.person) })),
    };
  }
}

export interface WorldChanges {
  created: PersonState[];
  updated: PersonState[];
  merged: PersonState[];
  attached: Attachment[];
}
