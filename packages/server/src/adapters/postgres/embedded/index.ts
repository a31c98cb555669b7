export { type EmbeddedServer, startEmbedded } from './start-embedded.js';
