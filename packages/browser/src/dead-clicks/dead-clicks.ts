import type { Feature } from '@tidemark/client';
import { isCapturedHere } from '../autocapture/captured-here.js';
import { describePath } from '../autocapture/describe-interactions.js';
import { pathTo, targetOf } from '../autocapture/element-path.js';
import { isMarked } from '../autocapture/is-interaction.js';
import type { AutocaptureOptions } from '../autocapture/options.js';
import { listen } from '../listen.js';
import { NOT_CAPTURED } from '../privacy-marks.js';

/** When a click counts as dead, and which elements are left out or masked. The names of the times are those of posthog-js. */
export interface DeadClickOptions
  extends Pick<
    AutocaptureOptions,
    | 'url_allowlist'
    | 'url_ignorelist'
    | 'element_allowlist'
    | 'css_selector_allowlist'
    | 'css_selector_ignorelist'
    | 'element_attribute_ignorelist'
    | 'mask_all_text'
    | 'mask_all_element_attributes'
  > {
  /** A change of the page within this time is an answer to the click. Default 2500 milliseconds. */
  mutation_threshold_ms?: number;
  /** The same for scrolling. Default 100. */
  scroll_threshold_ms?: number;
  /** The same for a change of the selection, also before the click. Default 100. */
  selection_change_threshold_ms?: number;
  /** Also clicks with Ctrl, Alt, Shift or Meta, which open links elsewhere. Default false. */
  capture_clicks_with_modifier_keys?: boolean;
}

/** A change of visibility or focus so long before or after a click counts as an effect of the click. */
const FOCUS_MS = 1_000;
/** Clicks on the same element within this time count as one. */
const SAME_MS = 1_000;
/** Limit of undecided clicks. */
const MOST_WAITING = 100;
/** Elements that the browser handles itself, without a change that a script can observe. */
const ANSWERED_BY_BROWSER = 'a[href],area,input,select,textarea,option,label,summary,video,audio,iframe,object,embed,canvas';
const NO_DEAD_CLICK = `${NOT_CAPTURED},.tm-no-deadclick,.ph-no-deadclick`;

type Answer = 'mutation' | 'scroll' | 'selection_changed' | 'visibility_changed' | 'focus_changed';

/**
 * Captures clicks that change nothing on the page as `$dead_click`.
 * @example init('tmk_…', { features: [deadClicks()] })
 */
export function deadClicks(options: DeadClickOptions = {}): Feature {
  const within: Record<Answer, number> = {
    mutation: options.mutation_threshold_ms ?? 2_500,
    scroll: options.scroll_threshold_ms ?? 100,
    selection_changed: options.selection_change_threshold_ms ?? 100,
    visibility_changed: FOCUS_MS,
    focus_changed: FOCUS_MS,
  };
  /** Effects that may precede their click. */
  const early: readonly Answer[] = ['selection_changed', 'visibility_changed', 'focus_changed'];
  return {
    name: 'deadClicks',
    setup(client, { guard, platform }) {
      const waiting = new Set<{ target: Element; at: number; after: Partial<Record<Answer, number>>; timer: unknown }>();
      const last: Partial<Record<Answer, number>> = {};
      const { now } = platform.clock;
      const answered = (answer: Answer) => {
        last[answer] = now();
        for (const click of waiting) click.after[answer] ??= now() - click.at;
      };
      const clicked = (event: Event) => {
        const target = event instanceof MouseEvent && !client.isOptedOut() && targetOf(event);
        if (!target) return;
        if (!options.capture_clicks_with_modifier_keys && (event.ctrlKey || event.altKey || event.shiftKey || event.metaKey))
          return;
        const path = pathTo(target);
        // a click on the page itself, outside of elements, has no effect
        if (path.length < 2 || isMarked(path, ANSWERED_BY_BROWSER) || isMarked(path, '[contenteditable]')) return;
        if (isMarked([...path, document.documentElement], NO_DEAD_CLICK) || !isCapturedHere(path, location.href, options)) return;
        const at = now();
        if (waiting.size >= MOST_WAITING || [...waiting].some((other) => other.target === target && at - other.at < SAME_MS))
          return;
        const after: Partial<Record<Answer, number>> = {};
        for (const answer of early) {
          const before = at - (last[answer] ?? Number.NEGATIVE_INFINITY);
          if (before < within[answer]) after[answer] = before;
        }
        // described now: an effect of the click may remove the elements
        const about = describePath(path, 'click', {
          maskText: options.mask_all_text,
          maskAttributes: options.mask_all_element_attributes,
          ignoredAttributes: options.element_attribute_ignorelist,
        });
        const decide = () => {
          waiting.delete(click);
          const answers = Object.entries(click.after);
          if (answers.some(([answer, delay]) => delay < within[answer as Answer])) return;
          const delays = [...answers, ['absolute', now() - at] as const];
          const properties = Object.fromEntries(delays.map(([answer, delay]) => [`$dead_click_${answer}_delay_ms`, delay]));
          client.capture('$dead_click', { ...about, ...properties }, { timestamp: at });
        };
        const longest = Math.max(...Object.values(within));
        // the observer reports a change in time a little later
        const click = { target, at, after, timer: platform.timers.set(() => guard(decide), longest * 1.1) };
        waiting.add(click);
      };
      const on = (target: EventTarget, types: readonly string[], answer: Answer) =>
        listen(target, types, () => answered(answer), true);
      const observer = new MutationObserver(() => answered('mutation'));
      observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
      const ends = [
        listen(document, ['click'], (event) => void guard(() => clicked(event)), true),
        on(document, ['scroll'], 'scroll'),
        on(document, ['selectionchange'], 'selection_changed'),
        on(document, ['visibilitychange'], 'visibility_changed'),
        on(window, ['focus', 'blur', 'pagehide'], 'focus_changed'),
      ];
      return () => {
        observer.disconnect();
        for (const end of ends) end();
        for (const { timer } of waiting) platform.timers.clear(timer);
        waiting.clear();
      };
    },
  };
}
