import { useLayoutEffect, useSyncExternalStore } from 'react';

/** Something a person can do here: it feeds the palette, the sheet of keys and the keyboard. */
export interface Action {
  id: string;
  /** A verb and its thing, such as "Create flag". */
  label: string;
  /** Heading in the palette and in the sheet of keys. */
  group: string;
  /** One key (`n`, `space`), a modifier and a key (`mod+k`), or two keys in turn (`g d`). */
  shortcut?: string;
  perform: () => void;
}

let actions: readonly Action[] = [];
const listeners = new Set<() => void>();

function setActions(next: readonly Action[]): void {
  actions = next;
  for (const listener of listeners) listener();
}

/** The actions of the mounted screens, the latest first. */
export const useAllActions = (): readonly Action[] =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => actions,
  );

/** Offers actions while a component is mounted. Pass a list from `useMemo`: each new list registers anew. */
export function useActions(own: readonly Action[]): void {
  // before the screen is painted: who sees it can use its keys
  useLayoutEffect(() => {
    setActions([...own, ...actions]);
    return () => setActions(actions.filter((action) => !own.includes(action)));
  }, [own]);
}

const performed = new Set<(action: Action) => void>();

/** Calls back with each action that is performed. @returns ends it */
export function onPerformed(listener: (action: Action) => void): () => void {
  performed.add(listener);
  return () => void performed.delete(listener);
}

export function performAction(action: Action): void {
  for (const listener of performed) listener(action);
  action.perform();
}

/**
 * Whether a key goes into a text, a menu or a dialog instead of being a shortcut. The focus decides: lists with a search field send each
 * key once more, to the chosen option.
 */
function isTyping(): boolean {
  const focused = document.activeElement;
  if (!(focused instanceof HTMLElement)) return false;
  return (
    focused.isContentEditable ||
    /^(INPUT|TEXTAREA|SELECT)$/.test(focused.tagName) ||
    focused.closest('[role=dialog], [role=alertdialog], [role=menu], [role=listbox]') !== null
  );
}

/** Whether the focused thing is pressed by the Space key. */
const takesSpace = (): boolean =>
  document.activeElement?.matches('button, summary, [role=button], [role=tab], [role=option], [role=row]') ?? false;

/** Longest pause between the two keys of a shortcut such as `g d`, in milliseconds. */
const SEQUENCE_MS = 1_000;

/** Performs actions by their shortcuts. @returns ends it */
export function listenToShortcuts(): () => void {
  let before: { key: string; at: number } | null = null;
  const listen = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.altKey || event.isComposing) return;
    const hasModifier = event.ctrlKey || event.metaKey;
    if (isTyping() && !hasModifier) return;
    if (event.key === ' ' && takesSpace()) return;
    const key = event.key === ' ' ? 'space' : event.key.toLowerCase();
    const single = hasModifier ? `mod+${key}` : key;
    const sequence = before && event.timeStamp - before.at < SEQUENCE_MS ? `${before.key} ${key}` : null;
    const find = (wanted: string | null) => actions.find(({ shortcut }) => shortcut !== undefined && shortcut === wanted);
    // `g f` goes to the flags, also on a screen whose own `f` does something else
    const found = find(sequence) ?? find(single);
    before = hasModifier ? null : { key, at: event.timeStamp };
    if (!found) return;
    event.preventDefault();
    before = null;
    performAction(found);
  };
  addEventListener('keydown', listen);
  return () => removeEventListener('keydown', listen);
}

/** A shortcut as people read it: "Ctrl K", "G then D". */
export const shortcutText = (shortcut: string): string =>
  shortcut
    .split(' ')
    .map((part) => part.replace('mod+', isMac() ? '⌘ ' : 'Ctrl ').replace(/\b[a-z]/, (key) => key.toUpperCase()))
    .join(' then ');

const isMac = (): boolean => /Mac|iPhone|iPad/.test(navigator.userAgent);
