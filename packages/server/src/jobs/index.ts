export { type Repeated, repeat } from './repeat.js';
