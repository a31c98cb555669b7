import { EventType, type eventWithTime, IncrementalSource } from 'rrweb';
import { fieldsOf, listOf } from './mobile/index.js';

interface Known {
  tag: string;
  attributes: Record<string, unknown>;
  text: string;
  children: unknown[];
}

/** Attributes that name an element without a text, and tags whose text nobody sees. */
const NAMING = ['aria-label', 'alt', 'title', 'placeholder', 'value', 'name', 'id'];
const SILENT: ReadonlySet<string> = new Set(['style', 'script', 'head']);
const LONGEST = 60;
const MOST_NODES = 200;

/** The texts of the recorded nodes of one window, to name what was clicked. */
export function createNodeNames() {
  const nodes = new Map<unknown, Known>();

  const add = (node: unknown) => {
    const { id, tagName, attributes, textContent, childNodes } = fieldsOf(node);
    const children = listOf(childNodes);
    const tag = String(tagName ?? '').toLowerCase();
    const text = typeof textContent === 'string' ? textContent : '';
    nodes.set(id, { tag, attributes: fieldsOf(attributes), text, children: children.map((child) => fieldsOf(child)['id']) });
    for (const child of children) add(child);
  };
  const change = (data: Record<string, unknown>) => {
    for (const removed of listOf(data['removes']).map(fieldsOf)) {
      const parent = nodes.get(removed['parentId']);
      if (parent) parent.children = parent.children.filter((id) => id !== removed['id']);
    }
    for (const { parentId, nextId, node } of listOf(data['adds']).map(fieldsOf)) {
      add(node);
      const parent = nodes.get(parentId);
      const { id } = fieldsOf(node);
      if (!parent || parent.children.includes(id)) continue;
      const at = parent.children.indexOf(nextId);
      parent.children.splice(at < 0 ? parent.children.length : at, 0, id);
    }
    for (const { id, value } of listOf(data['texts']).map(fieldsOf)) {
      const node = nodes.get(id);
      if (node) node.text = String(value ?? '');
    }
  };
  const textOf = (id: unknown) => {
    let left = MOST_NODES;
    const gather = (at: unknown): string => {
      const node = nodes.get(at);
      if (!node || SILENT.has(node.tag) || left-- <= 0) return '';
      return node.text + node.children.map(gather).join(' ');
    };
    return gather(id).replace(/\s+/g, ' ').trim();
  };

  return {
    /** Notes the nodes of an event. */
    note(event: eventWithTime): void {
      if (event.type === EventType.FullSnapshot) {
        nodes.clear();
        add(event.data.node);
      } else if (event.type === EventType.IncrementalSnapshot && event.data.source === IncrementalSource.Mutation) {
        change(fieldsOf(event.data));
      }
    },
    /** What a node is called; empty where nothing or only stars are known. */
    nameOf(id: unknown): string {
      const node = nodes.get(id);
      if (!node) return '';
      const isField = /^(input|textarea|select)$/.test(node.tag);
      const named = NAMING.map((name) => node.attributes[name]).find((value) => typeof value === 'string' && !isMasked(value));
      const text = isField ? '' : textOf(id);
      const name = text && !isMasked(text) ? text : String(named ?? '');
      return name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name;
    },
  };
}

const isMasked = (text: string) => /^[*\s]*$/.test(text);
