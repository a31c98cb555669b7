export { attribution } from './attribution.js';
export { maskUrl } from './campaign.js';
