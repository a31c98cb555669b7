/** Whether the selector finds one of the elements. */
export function isMarked(path: readonly Element[], selector: string): boolean {
  return path.some((element) => element.matches(selector));
}

const FIELDS = 'input,select,textarea';

/** Whether people meant something by it: forms count when submitted, fields when clicked or changed, the rest when clicked. */
export function isInteraction(path: readonly Element[], eventType: string): boolean {
  const [target] = path;
  if (!target) return false;
  const submits = eventType === 'submit';
  if (submits || target.matches('form')) return submits && target.matches('form');
  if (target.matches(FIELDS)) return true;
  return (
    eventType === 'click' &&
    // a form around it does not make text a target
    (isMarked(path, `${FIELDS},a,button,label,[contenteditable]:not([contenteditable=false])`) ||
      // it is inherited, so that elements around it count, too
      getComputedStyle(target).cursor === 'pointer')
  );
}
