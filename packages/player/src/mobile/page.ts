import type { EventType, eventWithTime, IncrementalSource } from 'rrweb';
import type { Drawn } from './draw.js';
import { SHEET } from './looks.js';
import type { Frame } from './outline.js';

type Data<Type extends EventType> = Extract<eventWithTime, { type: Type }>['data'];
export type Picture = Data<EventType.FullSnapshot>;
export type Mutation = Extract<Data<EventType.IncrementalSnapshot>, { source: IncrementalSource.Mutation }>;
type Node = Picture['node'];

/** rrweb's node types. */
const DOCUMENT = 0;
const DOCTYPE = 1;
const ELEMENT = 2;
const TEXT = 3;
/** Node id of the body. */
export const BODY = 7;

/** An rrweb page with drawn wireframes. Nodes keep their ids while they exist. */
export interface Page {
  /** Replaces the wireframes and returns the difference. */
  show(frames: readonly Frame[]): Mutation;
  /** A full snapshot. */
  picture(): Picture;
}

interface Placed extends Frame {
  /** Node id of its first node; the others follow in document order. */
  id: number;
  nodes: readonly Flat[];
}

/** A node, and the index of its parent among the nodes of its frame. */
interface Flat {
  node: Drawn | string;
  parent: number;
}

export function createPage(): Page {
  let shown: readonly Placed[] = [];
  let free = BODY + 1;

  const placed = (frame: Frame): Placed => {
    const nodes = flat(frame.drawn);
    const id = free;
    free += nodes.length;
    return { key: frame.key, drawn: frame.drawn, id, nodes };
  };

  return {
    show: (frames) => {
      const mutation: Mutation = { source: 0, texts: [], attributes: [], removes: [], adds: [] };
      const known = new Map(shown.map((one, index) => [one.key, { one, index }]));
      let last = -1;
      const now = frames.map((frame) => {
        const old = known.get(frame.key);
        // frames in unchanged order keep their nodes, which avoids flicker
        if (!old || old.index <= last || !isAlike(old.one.drawn, frame.drawn)) return placed(frame);
        last = old.index;
        return changed(old.one, frame, mutation);
      });
      const before = idsOf(shown);
      const after = idsOf(now);
      for (const { id } of shown) if (!after.has(id)) mutation.removes.push({ parentId: BODY, id });
      // from last to first, so that `nextId` always exists already
      let nextId: number | null = null;
      for (const one of [...now].reverse()) {
        if (!before.has(one.id)) mutation.adds.push(...additions(one, nextId));
        nextId = one.id;
      }
      shown = now;
      return mutation;
    },
    picture: () => ({ node: documentOf(shown.map(whole)), initialOffset: { top: 0, left: 0 } }),
  };
}

const idsOf = (all: readonly Placed[]): Set<number> => new Set(all.map(({ id }) => id));

function flat(drawn: Drawn, parent = 0, nodes: Flat[] = []): Flat[] {
  const own = nodes.push({ node: drawn, parent }) - 1;
  for (const child of drawn.children) {
    if (typeof child === 'string') nodes.push({ node: child, parent: own });
    else flat(child, own, nodes);
  }
  return nodes;
}

const isAlike = (a: Drawn | string | undefined, b: Drawn | string | undefined): boolean =>
  typeof a === 'object' && typeof b === 'object'
    ? a.tagName === b.tagName &&
      a.children.length === b.children.length &&
      a.children.every((child, index) => isAlike(child, b.children[index]))
    : typeof a === typeof b;

/** Redraws a frame with the same nodes and adds the changed texts and attributes to the mutation. */
function changed(old: Placed, frame: Frame, { texts, attributes }: Mutation): Placed {
  if (old.drawn === frame.drawn) return old;
  const nodes = flat(frame.drawn);
  for (const [index, { node }] of nodes.entries()) {
    const was = old.nodes[index]?.node;
    const id = old.id + index;
    if (typeof node === 'string') {
      if (node !== was) texts.push({ id, value: node });
    } else if (typeof was === 'object') {
      const others = Object.entries({ ...absent(was.attributes), ...node.attributes }).filter(
        ([name, value]) => value !== { ...was.attributes }[name],
      );
      if (others.length > 0) attributes.push({ id, attributes: Object.fromEntries(others) });
    }
  }
  return { key: frame.key, drawn: frame.drawn, id: old.id, nodes };
}

const absent = (attributes: object) => Object.fromEntries(Object.keys(attributes).map((name) => [name, null]));

/** Additions of a frame: each node separately, without children. */
const additions = ({ id, nodes }: Placed, nextId: number | null): Mutation['adds'] =>
  nodes.map(({ node, parent }, index) => ({
    parentId: index === 0 ? BODY : id + parent,
    nextId: index === 0 ? nextId : null,
    node: alone(node, id + index),
  }));

const alone = (node: Drawn | string, id: number): Node =>
  typeof node === 'string' ? { type: TEXT, textContent: node, id } : element(id, node.tagName, { ...node.attributes });

function whole(frame: Placed): Node {
  let { id } = frame;
  const made = (node: Drawn | string): Node =>
    typeof node === 'string' ? alone(node, id++) : element(id++, node.tagName, { ...node.attributes }, node.children.map(made));
  return made(frame.drawn);
}

const element = (id: number, tagName: string, attributes: Record<string, string>, childNodes: Node[] = []): Node => ({
  type: ELEMENT,
  tagName,
  attributes,
  childNodes,
  id,
});

function documentOf(frames: Node[]): Node {
  const style = element(5, 'style', {}, [{ type: TEXT, textContent: SHEET, id: 6 }]);
  const html = element(3, 'html', {}, [element(4, 'head', {}, [style]), element(BODY, 'body', {}, frames)]);
  return { type: DOCUMENT, childNodes: [{ type: DOCTYPE, name: 'html', publicId: '', systemId: '', id: 2 }, html], id: 1 };
}
