export { tracedFetch } from './traced-fetch.js';
