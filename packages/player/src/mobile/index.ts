export { createScreen } from './screen.js';
