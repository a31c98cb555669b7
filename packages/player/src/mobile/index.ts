export { createScreen } from './screen.js';
export { fieldsOf, imageOf, listOf } from './values.js';
