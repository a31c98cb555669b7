export { autocapture } from './autocapture.js';
export type { AutocaptureOptions } from './options.js';
