export { element } from './element.js';
export { type InteractiveOptions, makeInteractive } from './make-interactive.js';
