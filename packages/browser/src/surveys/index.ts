export { surveys } from './surveys.js';
