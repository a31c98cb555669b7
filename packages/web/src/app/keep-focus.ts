/** Where the thing that had the focus was taken out of the page. */
interface Place {
  box: Node;
  next: Node | null;
  previous: Node | null;
}

/** How many things that had the focus are remembered. */
const TRAIL = 12;

const STOPS =
  'a[href], button:not(:disabled), input:not(:disabled, [type=hidden]), select:not(:disabled), textarea:not(:disabled), [tabindex]:not([tabindex="-1"])';

/**
 * Keeps the keyboard where the person is. When the thing that has the focus goes away or is disabled, the focus moves to what stands
 * beside it; when the screen changes, to the name of the new one; when what covered the screen closes, back to where the person was.
 * Without it, the focus falls to the document: a screen reader begins at the top. @returns ends it
 */
export function keepFocus(): () => void {
  let trail: HTMLElement[] = [];
  let path = location.pathname;
  let place: Place | null = null;
  let isWaiting = false;

  const remember = ({ target }: FocusEvent) => {
    if (!(target instanceof HTMLElement) || target === document.body) return;
    trail = [target, ...trail.filter((one) => one !== target)].slice(0, TRAIL);
    path = location.pathname;
    place = null;
  };

  const restore = () => {
    isWaiting = false;
    const [last] = trail;
    if (!last || !isNowhere() || !isGone(last)) return;
    const isNewScreen = location.pathname !== path;
    const found = isNewScreen ? null : (beside(last.isConnected ? placeOf(last) : place) ?? trail.find(isStop));
    // a screen that is still loading has no name yet: the next change of the page leads here again
    focusOn(found ?? named('h1') ?? (isNewScreen ? null : named('main')));
  };

  const observer = new MutationObserver((records) => {
    const [last] = trail;
    if (!last) return;
    for (const { target: box, removedNodes, nextSibling: next, previousSibling: previous } of records) {
      if ([...removedNodes].some((node) => node.contains(place?.box ?? last))) place = { box, next, previous };
    }
    if (isWaiting || !isNowhere() || !isGone(last)) return;
    isWaiting = true;
    // dialogs and menus that close restore the focus themselves, a frame later
    requestAnimationFrame(() => requestAnimationFrame(restore));
  });

  addEventListener('focusin', remember);
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
  return () => {
    removeEventListener('focusin', remember);
    observer.disconnect();
  };
}

const isNowhere = (): boolean => document.activeElement === null || document.activeElement === document.body;

const isGone = (thing: HTMLElement): boolean => !thing.isConnected || thing.matches(':disabled');

const isStop = (thing: Element): boolean =>
  thing.isConnected && thing.matches(STOPS) && !thing.closest('[inert], [aria-hidden=true]') && thing.getClientRects().length > 0;

const placeOf = (thing: HTMLElement): Place | null =>
  thing.parentElement && { box: thing.parentElement, next: thing.nextSibling, previous: thing.previousSibling };

/** The stops of a thing, itself included. */
function stopsOf(thing: Node | null): HTMLElement[] {
  if (!(thing instanceof HTMLElement) || !thing.isConnected) return [];
  return [thing, ...thing.querySelectorAll<HTMLElement>(STOPS)].filter(isStop);
}

/** The stop that is nearest to a place within the screen, or within what covers it; undefined: there is none. */
function beside(place: Place | null): HTMLElement | undefined {
  const scope = place && elementOf(place.box)?.closest('main, aside, [role=dialog]');
  if (!place || !scope) return undefined;
  const found = stopsOf(place.next)[0] ?? stopsOf(place.previous).at(-1);
  if (found) return found;
  for (let box = elementOf(place.box); box && box !== scope; box = box.parentElement) {
    const [stop] = stopsOf(box);
    if (stop) return stop;
  }
  return undefined;
}

const elementOf = (node: Node): Element | null => (node instanceof Element ? node : node.parentElement);

const named = (selector: string) => document.querySelector<HTMLElement>(selector);

function focusOn(thing: HTMLElement | null): void {
  if (!thing) return;
  if (!thing.matches(STOPS)) thing.tabIndex = -1;
  thing.focus({ preventScroll: true });
}
