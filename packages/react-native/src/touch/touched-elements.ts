import { isRecord } from '@tidemark/client';

/** An element of the chain from the touched element to the root, as in `$autocapture`. */
export interface TouchedElement {
  tag_name: string;
  $el_text?: string;
  [attribute: `attr__${string}`]: string;
}

/** Put on an element, nothing of it or below it is captured. */
const NO_CAPTURE = 'tm-no-capture';
/** Props that describe an element. All others, above all `value`, stay on the device. */
const ATTRIBUTES = ['testID', 'nativeID', 'id', 'accessibilityLabel', 'accessibilityRole', 'aria-label', 'role', 'tm-label'];
const LONGEST_TEXT = 255;
const MOST_ELEMENTS = 50;
const MOST_FIBERS = 1_000;
/** Card and social security numbers, however they are grouped. */
const SENSITIVE = /(?:\d[ -]?){13,19}|\d{3}-\d{2}-\d{4}/;

/** The touched element and its ancestors in React's tree; undefined: it must not be captured. */
export function touchedElements(fiber: unknown): TouchedElement[] | undefined {
  const elements: TouchedElement[] = [];
  for (const { type, props } of fibersFrom(fiber)) {
    const marked = props[NO_CAPTURE];
    if (marked !== undefined && marked !== false) return undefined;
    const name = nameOf(type);
    if (name && elements.length < MOST_ELEMENTS) elements.push(elementOf(name, props));
  }
  return elements;
}

/** The nodes of React's own tree from one of them upwards. */
export function* fibersFrom(fiber: unknown): Generator<{ type: unknown; props: Record<string, unknown> }> {
  let current = fiber;
  for (let steps = 0; isRecord(current) && steps < MOST_FIBERS; steps++) {
    const { elementType, type, memoizedProps } = current;
    yield { type: elementType ?? type, props: isRecord(memoizedProps) ? memoizedProps : {} };
    current = current['return'];
  }
}

function elementOf(name: string, props: Record<string, unknown>): TouchedElement {
  const element: TouchedElement = { tag_name: name };
  const text = isInput(name, props) ? '' : textOf(props['children']);
  if (text) element.$el_text = text;
  for (const attribute of ATTRIBUTES) {
    const value = cleaned(props[attribute]);
    if (value) element[`attr__${attribute}`] = value;
  }
  return element;
}

/** What people type is theirs. */
const isInput = (name: string, props: Record<string, unknown>): boolean =>
  /input/i.test(name) || 'secureTextEntry' in props || 'onChangeText' in props;

/** Names of components, and of the platform's own elements. */
function nameOf(type: unknown): string | undefined {
  if (typeof type === 'string') return type;
  const named: unknown = type;
  if (typeof named === 'function') return ('displayName' in named && text(named.displayName)) || named.name || undefined;
  if (!isRecord(named)) return undefined;
  return text(named['displayName']) ?? nameOf(named['render'] ?? named['type']);
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value ? value : undefined);

function textOf(children: unknown): string | undefined {
  const parts = Array.isArray(children) ? children : [children];
  if (!parts.every((part) => typeof part === 'string' || typeof part === 'number')) return undefined;
  return cleaned(parts.join(''));
}

function cleaned(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const trimmed = value.trim();
  return trimmed && !SENSITIVE.test(trimmed) ? trimmed.slice(0, LONGEST_TEXT) : undefined;
}
