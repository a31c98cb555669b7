/** A platform that tests hold in their hands, and a client on it. */
export { createFakePlatform, type FakeAnswer, type FakePlatform, type FakeRequest } from './fake-platform.js';
export { type LoadedFlags, loadedFlags, reloadFlags } from './loaded-flags.js';
export { flagsAnswer, type Started, type StartSettings, startClient } from './start-client.js';
