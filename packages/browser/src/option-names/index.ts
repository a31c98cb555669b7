export { type AnySpelling, anySpelling } from './any-spelling.js';
