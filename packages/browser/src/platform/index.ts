export { browserPlatform, pagelessPlatform } from './browser-platform.js';
