export { memory } from './memory.js';
export { storeFor } from './store-for.js';
export { webStorage } from './web-storage.js';
