import type { CaptureOptions, Feature, Properties } from '@tidemark/client';

/** Which screen the person sees. */
export interface Screens {
  feature: Feature;
  show(name: string, properties?: Properties, options?: CaptureOptions): void;
  current(): string | undefined;
}

/** Captures screens, and adds the current one to every event. It is not stored. */
export function createScreens(): Screens {
  /** Properties of every event: the same object until the screen changes, see `enrich`. */
  let onEvents: { $screen_name: string } | undefined;
  let capture: Screens['show'] = () => {};
  return {
    current: () => onEvents?.$screen_name,
    show: (...args) => capture(...args),
    feature: {
      name: 'screens',
      setup: (client, { enrich, log }) => {
        enrich(() => onEvents);
        capture = (name, properties, options) => {
          if (typeof name !== 'string' || !name.trim())
            return log.warn('screen needs the name of the screen; nothing was captured.');
          if (client.isOptedOut()) return;
          onEvents = { $screen_name: name };
          client.capture('$screen', { ...properties, $screen_name: name }, options);
        };
        return () => {
          capture = () => {};
          onEvents = undefined;
        };
      },
    },
  };
}
