/** What a page needs only once somebody does something on it: one file, loaded after the page's own start. */
export { describeInteractions } from './autocapture/describe-interactions.js';
export { startLater } from './later/start-later.js';
export { watchScrollDepth } from './pages/scroll-depth.js';
export { watchHistory } from './pages/watch-history.js';
