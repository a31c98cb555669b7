import type { RecorderPort, RecorderSettings } from '../ports.js';
import { VERSION } from '../version.js';

type Settings = Record<string, unknown>;

const MASKS = ['maskAllInputs', 'maskAllImages'] as const;

/** What is called of `@posthog/react-native-plugin` (2.1.1 and later) or `posthog-react-native-session-replay` (1.6). */
export interface PosthogPlugin {
  /** Of the first one only: that which comes with push messages and crashes, too, which are left alone here. */
  setup?(sessionId: string, client: Settings, features: Settings): Promise<void>;
  start(sessionId: string, client: Settings, replay: Settings, project: Settings): Promise<void>;
  startSession(sessionId: string): Promise<void>;
  endSession(): Promise<void>;
  identify(distinctId: string, anonymousId: string): Promise<void>;
  startRecording(resumeCurrent: boolean): Promise<void>;
  stopRecording(): Promise<void>;
  isEnabled(): Promise<boolean>;
  /** Of the first one only. */
  setOptOut?(optOut: boolean): Promise<void>;
}

/**
 * The native recorder of the open-source plugin of PostHog. It sends its recordings to the service by itself, and requests the project's settings
 * there.
 * @param plugin the module, whose calls these are
 * @param more other settings of the plugin, such as `throttleDelayMs`
 * @example recorder: posthogPlugin(plugin, { throttleDelayMs: 500 })
 */
export function posthogPlugin(plugin: PosthogPlugin, more: Settings = {}): RecorderPort {
  let applied: RecorderSettings | undefined;
  let hides: RecorderSettings | undefined;

  const setUp = (settings: RecorderSettings): Promise<void> => {
    const { sessionId, apiKey, host, distinctId, anonymousId, requestHeaders } = settings;
    // with a version it knows that sessions and triggers are decided in JavaScript
    const client = { apiKey, host, distinctId, anonymousId, requestHeaders, sdkVersion: VERSION };
    const replay = {
      ...more,
      maskAllTextInputs: settings.maskAllInputs,
      maskAllImages: settings.maskAllImages,
      captureLog: settings.recordConsole,
      // addresses of requests may have secrets in them
      captureNetworkTelemetry: false,
      // it is decided already that this session is recorded
      sampleRate: 1,
    };
    const project = { endpoint: settings.path };
    if (!plugin.setup) return plugin.start(sessionId, client, replay, project);
    return plugin.setup(sessionId, client, {
      sessionReplay: { enabled: true, sdkReplayConfig: replay, decideReplayConfig: project },
      push: { capturePushNotificationSubscriptions: false, capturePushNotificationOpened: false },
    });
  };

  return {
    async start(settings) {
      if (hides && MASKS.some((mask) => settings[mask] && !hides?.[mask])) {
        await plugin.stopRecording();
        throw new Error('The plugin hides more only from the next start of the app on.');
      }
      // after a reload of the JavaScript the native side may still be at work
      if (!applied && !(await plugin.isEnabled())) {
        await setUp(settings);
        hides = settings;
      } else if (applied?.sessionId !== settings.sessionId) {
        await plugin.endSession();
        await plugin.startSession(settings.sessionId);
      }
      await plugin.identify(settings.distinctId, settings.anonymousId);
      await plugin.setOptOut?.(false);
      await plugin.startRecording(true);
      applied = settings;
    },
    async stop({ discard }) {
      await plugin.stopRecording();
      if (discard) await plugin.setOptOut?.(true);
    },
    isRecording: () => plugin.isEnabled(),
  };
}
