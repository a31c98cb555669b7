/** What of clicks, changes and submits is captured. Lists that are left out allow all and ignore nothing. */
export interface AutocaptureOptions {
  /** Capture on these pages alone: parts of the address, or expressions on it. */
  url_allowlist?: readonly (string | RegExp)[];
  url_ignorelist?: readonly (string | RegExp)[];
  /** Listen to these alone. */
  dom_event_allowlist?: readonly ('click' | 'change' | 'submit')[];
  /** Capture where the element or one around it has one of these tags, such as `button`. */
  element_allowlist?: readonly string[];
  /** Capture where the element or one around it is selected. */
  css_selector_allowlist?: readonly string[];
  css_selector_ignorelist?: readonly string[];
  /** Attributes that are never sent. */
  element_attribute_ignorelist?: readonly string[];
  /** Also capture what people copy and cut; false unless set. */
  capture_copied_text?: boolean;
  /** Also capture three fast clicks upon one spot; true unless set. */
  rageclick?: boolean;
  /** Send no texts of elements. */
  mask_all_text?: boolean;
  /** Send no attributes of elements. */
  mask_all_element_attributes?: boolean;
}
