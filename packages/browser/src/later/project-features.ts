import type { Client, ClientInternals, Feature } from '@tidemark/client';
import type { BrowserOptions } from '../options.js';

type Config = NonNullable<ReturnType<ClientInternals['remoteConfig']>>;

/** A feature that the project can switch on. */
interface Switched {
  /** The name of the feature, which `features` may have already. */
  name: string;
  /** The option that decides instead of the project. */
  option: 'exceptions' | 'web_vitals' | 'dead_clicks' | 'surveys';
  isOn(config: Config): unknown;
  load(config: Config, options: BrowserOptions): Promise<Feature>;
}

const vitalsOf = ({ capturePerformance }: Config) => capturePerformance || undefined;

const SWITCHED: readonly Switched[] = [
  {
    name: 'exceptions',
    option: 'exceptions',
    isOn: (config) => config.autocaptureExceptions,
    load: async () => (await import('../errors/exceptions.js')).exceptions(),
  },
  {
    name: 'webVitals',
    option: 'web_vitals',
    isOn: (config) => vitalsOf(config)?.web_vitals,
    load: async () => (await import('../vitals/web-vitals.js')).webVitals(),
  },
  {
    name: 'deadClicks',
    option: 'dead_clicks',
    isOn: (config) => config.captureDeadClicks,
    load: async (_, { autocapture, dead_clicks }) =>
      // the lists and masks of autocapture apply, too
      (await import('../dead-clicks/dead-clicks.js')).deadClicks({ ...Object(autocapture), ...Object(dead_clicks) }),
  },
  {
    name: 'surveys',
    option: 'surveys',
    isOn: (config) => config.surveys,
    load: async () => (await import('../surveys/surveys.js')).surveys(),
  },
];

/** Starts the features that the remote config switches on, unless `given` has them, and ends those that it switches off. Loads none after an opt-out. */
export function followProject(client: Client, internals: ClientInternals, given: BrowserOptions): () => void {
  const ends = new Map<string, () => void>();
  const start = ({ name, load }: Switched, config: Config) => {
    let ended = false;
    let end: undefined | (() => void);
    ends.set(name, () => {
      ended = true;
      end?.();
    });
    load(config, given).then(
      (feature) => {
        if (!ended) end = internals.guard(() => feature.setup(client, internals));
      },
      (error) => {
        ends.delete(name);
        internals.log.warn(`${name}: the file of the feature could not be loaded; is it served?`, error);
      },
    );
  };
  const update = () => {
    const config = internals.remoteConfig() ?? {};
    const options: BrowserOptions = internals.options();
    for (const one of SWITCHED) {
      const { name, option, isOn } = one;
      if (given.features?.some((feature) => feature.name === name)) continue;
      const wanted = (options[option] ?? isOn(config)) && !client.isOptedOut();
      if (wanted && !ends.has(name)) start(one, config);
      if (wanted) continue;
      ends.get(name)?.();
      ends.delete(name);
    }
  };
  update();
  const stops = [client.on('config', update), client.on('consent', update)];
  return () => {
    for (const stop of [...stops, ...ends.values()]) stop();
  };
}
