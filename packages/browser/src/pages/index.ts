export { type PageviewOptions, pageviews } from './pageviews.js';
