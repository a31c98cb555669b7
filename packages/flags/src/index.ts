export { hashOf } from './hash.js';
