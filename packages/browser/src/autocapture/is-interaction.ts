import { INTERACTIVE, tagOf } from './element-path.js';

/** Whether one of the elements has the class. */
export function hasClass(path: readonly Element[], name: string): boolean {
  return path.some((element) => element.classList.contains(name));
}

/** Whether people meant something by it: forms count when submitted, fields when clicked or changed, the rest when clicked. */
export function isInteraction(path: readonly Element[], eventType: string): boolean {
  const [target] = path;
  if (!target) return false;
  const tag = tagOf(target);
  if (tag === 'form' || eventType === 'submit') return tag === 'form' && eventType === 'submit';
  if (/^(input|select|textarea)$/.test(tag)) return true;
  if (eventType !== 'click') return false;
  return (
    // a form around it does not make text a target
    path.some((element) => tagOf(element) !== 'form' && INTERACTIVE.test(tagOf(element))) ||
    !!target.closest('[contenteditable]:not([contenteditable=false])') ||
    // it is inherited, so that those around are asked as well
    getComputedStyle(target).cursor === 'pointer'
  );
}
