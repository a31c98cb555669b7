export { type DeadClickOptions, deadClicks } from './dead-clicks.js';
