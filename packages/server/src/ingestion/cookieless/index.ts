export { replaceCookielessIds } from './replace-ids.js';
export { createSalts, forgetOldSalts } from './salts.js';
