export { type EarlyAccess, type EarlyAccessFeature, earlyAccess } from './early-access.js';
