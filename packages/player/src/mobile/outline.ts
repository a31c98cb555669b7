import { type Drawn, draw } from './draw.js';
import { type Fields, fieldsOf, isFields, listOf, numberOf } from './values.js';

/** What tells a drawn wireframe from others: its id, or itself where it has none. */
export type Key = unknown;

/** A wireframe as it is drawn; all of them lie on the screen side by side, since their places are those on the screen. */
export interface Frame {
  key: Key;
  drawn: Drawn;
}

/** The wireframes of a screen. */
export interface Outline {
  /** Changes it as an incremental snapshot says. What is about wireframes that are not there counts for nothing. */
  change(data: Fields): void;
  /** By height: those at the end lie above. */
  frames(above: readonly Frame[]): Frame[];
}

interface Branch extends Frame {
  isBar: boolean;
  depth: number;
  parent: Branch | null;
  children: Branch[];
}

/** Wireframes deeper in others are left out. */
const DEEPEST = 200;
const BARS: readonly unknown[] = ['status_bar', 'navigation_bar'];

export function createOutline(wireframes: unknown): Outline {
  const known = new Map<Key, Branch>();
  const top: Branch[] = [];

  /** Puts a wireframe with all that is in it below a parent, at a place among those there. */
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

  /** Answers where it was. */
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

  /** Recorders send what is new once by itself and once in its parent, so what is there is put anew. */
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
    // whole screens take turns, and the latest is above; others stay where they are
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
