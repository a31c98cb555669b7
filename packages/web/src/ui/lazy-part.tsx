import { type ComponentType, use } from 'react';

/** A component whose code is loaded when it is first drawn. Draw it within `Suspense`. */
export type LazyPart<Props> = ComponentType<Props> & {
  /** Loads the code ahead, such as when the pointer reaches what opens it. A failure is reported when it is drawn. */
  preload: () => void;
};

const parts = new Set<() => void>();

/** Makes a part that is not needed for the first look at a screen. Unlike with React's `lazy`, a load that failed can be repeated. */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>): LazyPart<Props> {
  let Loaded: ComponentType<Props> | undefined;
  let loading: Promise<void> | null = null;
  const begin = (): Promise<void> => {
    loading ??= load().then(
      (part) => {
        Loaded = part;
      },
      (error) => {
        loading = null;
        throw error;
      },
    );
    return loading;
  };
  const preload = () => void begin().catch(() => {});
  parts.add(preload);
  const draw = (props: Props) => {
    if (!Loaded) use(begin());
    return Loaded && <Loaded {...props} />;
  };
  return Object.assign(draw, { preload });
}

/** How long a screen stands before the parts are loaded that it may need next, in milliseconds. */
const QUIET_MS = 2_000;

/**
 * Loads all lazy parts once the page has loaded and its first screen has stood for a while: what opens a menu or a dialog then opens it
 * at once, also while the service does not respond.
 */
export function preloadPartsLater(): void {
  const preloadAll = () => {
    for (const preload of parts) preload();
  };
  const wait = () =>
    setTimeout(() => ('requestIdleCallback' in window ? requestIdleCallback(preloadAll) : preloadAll()), QUIET_MS);
  if (document.readyState === 'complete') wait();
  else addEventListener('load', wait, { once: true });
}
