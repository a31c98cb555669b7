import { tagOf } from './element-path.js';
import type { AutocaptureOptions } from './options.js';

/** Whether a URL contains one of the texts, or matches one of the regular expressions. */
function matchesUrl(url: string, list: readonly (string | RegExp)[]): boolean {
  return list.some((entry) => (typeof entry === 'string' ? url.includes(entry) : url.search(entry) >= 0));
}

/** Whether the lists of the options allow the page and the element. */
export function isCapturedHere(path: readonly Element[], url: string, options: AutocaptureOptions): boolean {
  const { url_allowlist, url_ignorelist, element_allowlist, css_selector_allowlist, css_selector_ignorelist } = options;
  const selected = (selectors: readonly string[]) => path.some((element) => selectors.some((one) => element.matches(one)));
  return (
    (!url_allowlist || matchesUrl(url, url_allowlist)) &&
    !matchesUrl(url, url_ignorelist ?? []) &&
    (!element_allowlist || path.some((element) => element_allowlist.includes(tagOf(element)))) &&
    (!css_selector_allowlist || selected(css_selector_allowlist)) &&
    !(css_selector_ignorelist && selected(css_selector_ignorelist))
  );
}
