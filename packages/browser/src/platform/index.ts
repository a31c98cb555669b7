export { browserPlatform, pagelessPlatform } from './browser-platform.js';
export { consoleLog } from './console-log.js';
