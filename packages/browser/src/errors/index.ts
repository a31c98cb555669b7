export { type ExceptionOptions, exceptions } from './exceptions.js';
