import type { PropertyNames } from '../../../ports/events.js';
import { TYPE } from './columns.js';

/** Lists of names that are remembered; beyond them all are forgotten, and made again as they come. */
const MAX_NODES = 20_000;

/** Longest name that is remembered, in bytes. */
export const MAX_NAME = 127;

/** A list of names: the names of its parent and one more. */
export class NameNode implements PropertyNames {
  /** The name as RowBinary has it: its length, and its bytes. */
  readonly encoded: Buffer;
  /** The same, and the type of a text. */
  readonly encodedText: Buffer;
  /** The list that was asked for last of those that have one name more: most objects have the same names as the one before. */
  last: NameNode | null = null;
  readonly #children = new Map<string, NameNode>();
  #whenNull: NameNode | null = null;
  #list: PropertyNames['list'] | null = null;

  constructor(
    readonly name: string,
    readonly isNull: boolean,
    readonly parent: NameNode | null,
    /** Whether values of this name are returned, too. */
    readonly isSelected: boolean,
  ) {
    this.encoded = Buffer.from(`\0${name}`, 'latin1');
    this.encoded[0] = name.length;
    this.encodedText = Buffer.concat([this.encoded, Buffer.of(TYPE.text)]);
  }

  /** The list with one name more. Undefined: it is not known yet. */
  child(name: string): NameNode | undefined {
    return this.#children.get(name);
  }

  add(name: string, isSelected: boolean): NameNode {
    const node = new NameNode(name, false, this, isSelected);
    this.#children.set(name, node);
    return node;
  }

  /** The same list, whose last name stands for null. */
  whenNull(): NameNode {
    this.#whenNull ??= new NameNode(this.name, true, this.parent, this.isSelected);
    return this.#whenNull;
  }

  has(name: string): boolean {
    for (let node: NameNode | null = this; node?.parent; node = node.parent) if (node.name === name) return true;
    return false;
  }

  get list(): PropertyNames['list'] {
    if (this.#list) return this.#list;
    const list: { name: string; isNull: boolean }[] = [];
    for (let node: NameNode | null = this; node?.parent; node = node.parent) list.push(node);
    this.#list = list.map(({ name, isNull }) => ({ name, isNull })).reverse();
    return this.#list;
  }
}

/**
 * Lists of names, each made once. They are a tree: from the list of the names read so far, one more name leads to the next list, so that an
 * object is recognized while it is read.
 *
 *     () ── $os ──▶ ($os) ── $browser ──▶ ($os, $browser) ── …
 */
export class NameLists {
  #root = newRoot();
  #nodes = 0;

  /** @param selected names whose values are returned, too */
  constructor(private readonly selected: ReadonlySet<string>) {}

  /** The empty list, from which each reading of an object starts. */
  get root(): NameNode {
    if (this.#nodes > MAX_NODES) {
      this.#root = newRoot();
      this.#nodes = 0;
    }
    return this.#root;
  }

  /**
   * The list with one name more, which stands in bytes.
   * @returns null: the name must be read in another way, or the list has it already
   */
  next(node: NameNode, bytes: Buffer, from: number, end: number): NameNode | null {
    if (end - from > MAX_NAME || end === from) return null;
    const name = bytes.toString('latin1', from, end);
    let next = node.child(name);
    if (!next) {
      if (!PLAIN.test(name) || name === '__proto__' || node.has(name)) return null;
      next = node.add(name, this.selected.has(name));
      this.#nodes++;
    }
    node.last = next;
    return next;
  }
}

const newRoot = (): NameNode => new NameNode('', false, null, false);

/** Printable ASCII without what JSON escapes and without the dots and percent signs of paths. */
const PLAIN = /^[ !#$&-\-/-[\]-~]+$/;
