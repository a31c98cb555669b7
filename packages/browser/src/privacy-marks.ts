/** Selectors of the classes and attributes for private elements, including those of posthog-js. They apply to all elements inside, too. */

/** Neither captured nor recorded. */
const HIDDEN = '.tm-no-capture,.ph-no-capture';
/** Not captured by autocapture. */
export const NOT_CAPTURED = `${HIDDEN},.ph-sensitive,.ph-no-autocapture,[data-ph-no-autocapture]`;
/** An empty box in recordings. */
export const BLOCKED = `${HIDDEN},.tm-block,.ph-block`;
/** Text and values are stars in recordings. */
export const MASKED = '.tm-mask,.ph-mask,.ph-sensitive,.ph-ignore-input';
