export type { RecordingOptions } from './options.js';
export { type PosthogPlugin, posthogPlugin } from './posthog-plugin.js';
export { sessionRecording } from './session-recording.js';
