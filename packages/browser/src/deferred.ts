/** Code that a page needs only after its start, as one file. */
export { describeInteractions } from './autocapture/describe-interactions.js';
export { startLater } from './later/start-later.js';
export { watchScrollDepth } from './pages/scroll-depth.js';
export { watchHistory } from './pages/watch-history.js';
