export { type WebVital, type WebVitalsOptions, webVitals } from './web-vitals.js';
