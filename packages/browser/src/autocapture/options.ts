/** Which clicks, changes and submits are captured. By default, allowlists allow all and ignore lists are empty. */
export interface AutocaptureOptions {
  /** Captures only on these pages: parts of the URL, or regular expressions. */
  url_allowlist?: readonly (string | RegExp)[];
  url_ignorelist?: readonly (string | RegExp)[];
  /** Captures only these DOM events. */
  dom_event_allowlist?: readonly ('click' | 'change' | 'submit')[];
  /** Captures only if the element or an ancestor has one of these tags, such as `button`. */
  element_allowlist?: readonly string[];
  /** Captures only if one of these selectors matches the element or an ancestor. */
  css_selector_allowlist?: readonly string[];
  css_selector_ignorelist?: readonly string[];
  /** Attributes that are never sent. */
  element_attribute_ignorelist?: readonly string[];
  /** Also captures copied and cut text, but no selection that holds a private element. Default false. */
  capture_copied_text?: boolean;
  /** Also captures rage clicks: three fast clicks on one spot. Default true. */
  rageclick?: boolean;
  /** Sends no texts of elements. */
  mask_all_text?: boolean;
  /** Sends no attributes of elements. */
  mask_all_element_attributes?: boolean;
}
