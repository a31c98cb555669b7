/** Whether the selector matches one of the elements. */
export function isMarked(path: readonly Element[], selector: string): boolean {
  return path.some((element) => element.matches(selector));
}

const FIELDS = 'input,select,textarea';

/** Whether an event is captured: a form on submit, a field on click and change, other interactive elements on click. */
export function isInteraction(path: readonly Element[], eventType: string): boolean {
  const [target] = path;
  if (!target) return false;
  const submits = eventType === 'submit';
  if (submits || target.matches('form')) return submits && target.matches('form');
  if (target.matches(FIELDS)) return true;
  return (
    eventType === 'click' &&
    // text inside of a form is not interactive
    (isMarked(path, `${FIELDS},a,button,label,[contenteditable]:not([contenteditable=false])`) ||
      // inherited from ancestors, so that those count, too
      getComputedStyle(target).cursor === 'pointer')
  );
}
