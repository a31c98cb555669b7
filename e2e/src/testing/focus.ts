import { expect } from 'vitest';
import type { AppPage } from './app-pages.js';

/** What is wrong with the place of the focus; empty: nothing. */
const faultOfFocus = `() => {
  const focused = document.activeElement;
  if (!focused || focused === document.body) return 'nothing has the focus';
  if (focused.closest('[inert], [aria-hidden=true]')) return 'the focus is on what is hidden';
  // controls of React Aria hide their input within the label that shows the focus
  const shown = focused.matches('input[type=radio], input[type=checkbox], input[type=range]') ? focused.closest('label, [data-focused]') ?? focused : focused;
  const box = shown.getBoundingClientRect();
  if (box.width === 0 || box.height === 0) return 'what has the focus has no size';
  if (box.right <= 0 || box.bottom <= 0 || box.left >= innerWidth || box.top >= innerHeight) return 'what has the focus is out of sight';
  // a caret, a row with a color of its own and a dialog that has just opened show where the focus is
  if (focused.matches('input:not([type=radio], [type=checkbox], [type=range]), textarea, [contenteditable=true], [role=dialog]')) return '';
  if (focused.matches('[role=menuitem], [role=option], [role=menu], [role=listbox], [data-focused][class*="data-focused:bg-"]')) return '';
  const hasRing = (thing) => getComputedStyle(thing).outlineStyle !== 'none' && parseFloat(getComputedStyle(thing).outlineWidth) > 0;
  if ([shown, ...shown.querySelectorAll('*')].some(hasRing)) return '';
  return 'what has the focus does not show it: ' + focused.outerHTML.slice(0, 200);
}`;

/** Expects that something in sight has the focus, and shows it. @param where what the person has just done */
export async function expectFocus(page: AppPage, where: string): Promise<void> {
  await expect.poll(() => page.evaluate(`(${faultOfFocus})()`), { message: where }).toBe('');
}
