export { runningAddress, startEmbedded } from './start-embedded.js';
