import { type Drawn, draw } from './draw.js';
import { type Fields, fieldsOf, isFields, listOf, numberOf } from './values.js';

/** Identity of a wireframe: its id, or the object itself when it has none. */
export type Key = unknown;

/** A drawn wireframe. Frames are siblings, because wireframes have screen coordinates. */
export interface Frame {
  key: Key;
  drawn: Drawn;
}

/** The tree of wireframes of a screen. */
export interface Outline {
  /** Applies an incremental snapshot. Changes of unknown wireframes are ignored. */
  change(data: Fields): void;
  /** All frames in drawing order: later ones lie above. */
  frames(above: readonly Frame[]): Frame[];
}

interface Branch extends Frame {
  isBar: boolean;
  depth: number;
  parent: Branch | null;
  children: Branch[];
}

/** Deeper wireframes are dropped. */
const DEEPEST = 200;
const BARS: readonly unknown[] = ['status_bar', 'navigation_bar'];

export function createOutline(wireframes: unknown): Outline {
  const known = new Map<Key, Branch>();
  const top: Branch[] = [];

  /** Inserts a wireframe with its descendants below a parent, at an index among the parent's children. */
  function put(wireframe: Fields, parent: Branch | null, place?: number): void {
    const key = numberOf(wireframe['id']) ?? wireframe;
    const depth = parent ? parent.depth + 1 : 0;
    if (known.has(key) || depth > DEEPEST) return;
    const isBar = BARS.includes(wireframe['type']);
    const branch: Branch = { key, drawn: draw(wireframe), isBar, depth, parent, children: [] };
    known.set(key, branch);
    const beside = parent?.children ?? top;
    beside.splice(place ?? beside.length, 0, branch);
    for (const child of listOf(wireframe['childWireframes'])) if (isFields(child)) put(child, branch);
  }

  /** Removes a branch and returns its former index. */
  function remove(branch: Branch): number {
    const beside = branch.parent?.children ?? top;
    const place = beside.indexOf(branch);
    beside.splice(place, 1);
    const forget = (one: Branch) => {
      known.delete(one.key);
      one.children.forEach(forget);
    };
    forget(branch);
    return place;
  }

  /** Inserts or replaces a wireframe. Recorders send a new one twice, by itself and in its parent, so an existing one is replaced. */
  function place(change: unknown, isAdded: boolean): void {
    const { wireframe, parentId }: Fields = fieldsOf(change);
    if (!isFields(wireframe)) return;
    const isScreen = wireframe['type'] === 'screenshot';
    const wished = isScreen || !parentId ? null : known.get(parentId);
    const old = known.get(wireframe['id']);
    if (!old) {
      if (wished !== undefined && (isAdded || isScreen)) put(wireframe, wished);
      return;
    }
    const { parent } = old;
    const place = remove(old);
    // a new screenshot moves to the top; other wireframes keep their position
    if (!isScreen && (!wished || wished === parent)) put(wireframe, parent, place);
    else if (!wished || known.has(wished.key)) put(wireframe, wished ?? null);
  }

  for (const wireframe of listOf(wireframes)) if (isFields(wireframe)) put(wireframe, null);

  return {
    change: (data) => {
      for (const one of listOf(data['removes'])) {
        const branch = known.get(fieldsOf(one)['id']);
        if (branch) remove(branch);
      }
      for (const one of listOf(data['adds'])) place(one, true);
      for (const one of listOf(data['updates'])) place(one, false);
    },
    frames: (above) => {
      const all: Branch[] = [];
      const walk = (branch: Branch) => {
        all.push(branch);
        branch.children.forEach(walk);
      };
      top.forEach(walk);
      return [...all.filter(({ isBar }) => !isBar), ...above, ...all.filter(({ isBar }) => isBar)];
    },
  };
}
