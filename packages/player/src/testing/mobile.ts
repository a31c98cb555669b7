import type { eventWithTime } from 'rrweb';
import { createScreen } from '../mobile/index.js';

/** Builds a recorded event, valid or not. */
export const recorded = (type: number, data: unknown, timestamp = 1): eventWithTime =>
  JSON.parse(JSON.stringify({ type, data, timestamp }));
export const meta = (width = 400, height = 800) => recorded(4, { width, height, href: 'MainActivity' });
export const outline = (...wireframes: unknown[]) => recorded(2, { wireframes, initialOffset: { top: 0, left: 0 } });
export const change = (data: object) => recorded(3, { source: 0, ...data });
export const keyboard = (payload: object) => recorded(5, { tag: 'keyboard', payload });

interface Shown {
  id: number;
  tagName?: string;
  attributes?: Record<string, unknown>;
  textContent?: string;
  childNodes: Shown[];
}

/** A minimal DOM that applies rrweb events as its player does. Fails when an event references a missing node. */
export function createViewer() {
  const screen = createScreen();
  const nodes = new Map<number, Shown>();
  const all: eventWithTime[] = [];
  const nodeOf = (id: number): Shown => {
    const node = nodes.get(id);
    if (!node) throw new Error(`There is no node ${id}`);
    return node;
  };
  const enter = (node: Shown): Shown => {
    if (nodes.has(node.id)) throw new Error(`Node ${node.id} is there already`);
    nodes.set(node.id, node);
    node.childNodes ??= [];
    node.childNodes.forEach(enter);
    return node;
  };
  const leave = (node: Shown): void => {
    nodes.delete(node.id);
    node.childNodes.forEach(leave);
  };
  const apply = (event: eventWithTime): void => {
    const data = JSON.parse(JSON.stringify(event.data));
    if (event.type === 2) {
      nodes.clear();
      enter(data.node);
    }
    if (event.type !== 3 || data.source !== 0) return;
    for (const { parentId, id } of data.removes) {
      const { childNodes } = nodeOf(parentId);
      leave(nodeOf(id));
      childNodes.splice(
        childNodes.findIndex((one) => one.id === id),
        1,
      );
    }
    for (const { parentId, nextId, node } of data.adds) {
      const { childNodes } = nodeOf(parentId);
      const place = nextId === null ? childNodes.length : childNodes.indexOf(nodeOf(nextId));
      childNodes.splice(place, 0, enter(node));
    }
    for (const { id, value } of data.texts) nodeOf(id).textContent = value;
    for (const { id, attributes } of data.attributes) Object.assign(nodeOf(id).attributes ?? {}, attributes);
  };
  return {
    /** The events that the converter returned so far. */
    all,
    see(...events: eventWithTime[]): eventWithTime[] {
      const made = events.flatMap(screen);
      made.forEach(apply);
      all.push(...made);
      return made;
    },
    /** Node ids of the elements in the body. */
    ids: () => nodeOf(BODY).childNodes.map(({ id }) => id),
    /** The body's elements as HTML. */
    lines: () => nodeOf(BODY).childNodes.map(htmlOf),
  };
}

const BODY = 7;

function htmlOf({ tagName, attributes, textContent, childNodes }: Shown): string {
  if (tagName === undefined) return textContent ?? '';
  const written = ['class', 'style', 'src'].map((name) => {
    const value = attributes?.[name];
    return typeof value === 'string' ? ` ${name}="${value}"` : '';
  });
  return `<${tagName}${written.join('')}>${childNodes.map(htmlOf).join('')}</${tagName}>`;
}
