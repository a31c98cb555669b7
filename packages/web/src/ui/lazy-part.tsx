import { type ComponentType, type ReactNode, use, useEffect, useState } from 'react';
import { Button } from './Button.js';
import { Fault, Message } from './states.js';
import { toast } from './toast.js';

/** A component whose code is loaded when it is first drawn. Draw it within `Suspense`. */
export type LazyPart<Props> = ComponentType<Props> & {
  /** Loads the code ahead, such as when the pointer reaches what opens it. A failure is reported when it is drawn. */
  preload: () => Promise<void>;
};

/** What is loaded together with the page needs no question whether the service responds. Milliseconds since the page was opened. */
const FIRST_LOAD_MS = 10_000;
let asking: Promise<unknown> | null = null;

/**
 * Asks whether the service responds before code is imported. Chromium remembers a failed import for as long as the page lives: a menu
 * would never open again after a restart of the service. @throws TypeError the service does not respond
 */
function requireService(): Promise<unknown> {
  if (performance.now() < FIRST_LOAD_MS) return Promise.resolve();
  asking ??= fetch('/_liveness', { cache: 'no-store' }).finally(() => {
    asking = null;
  });
  return asking.catch(() => {
    throw new TypeError('The service does not respond.');
  });
}

/** Code that is loaded once. After a failure it can be loaded again. */
class Loader<Part> {
  part: Part | undefined;
  private loading: Promise<void> | null = null;
  /** What a drawn part waits for; it stays after a failure, until the next try. */
  private drawn: Promise<Error | null> | null = null;

  constructor(private readonly load: () => Promise<Part>) {}

  begin(): Promise<void> {
    this.loading ??= requireService()
      .then(this.load)
      .then(
        (part) => {
          this.part = part;
        },
        (error) => {
          this.loading = null;
          throw error;
        },
      );
    return this.loading;
  }

  /** Why the code could not be loaded; null: it is there. It never rejects, and is the same promise until `forget`. */
  outcome(): Promise<Error | null> {
    this.drawn ??= this.begin().then(
      () => null,
      (error: Error) => error,
    );
    return this.drawn;
  }

  /** Forgets a failure: the next draw loads again. */
  forget(): void {
    this.drawn = null;
  }
}

/** Whether code is gone, as after an upgrade of the service. Otherwise the service is. The words are those of Chromium, Firefox and Safari. */
const isCodeGone = ({ message }: Error): boolean => /dynamically imported module|Importing a module script failed/i.test(message);

const parts = new Set<() => void>();

/** Makes a part that is not needed for the first look at a screen. When it cannot be loaded, it says so and closes: the screen stays. */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>): LazyPart<Props> {
  const loader = new Loader(load);
  const preload = () => loader.begin().catch(() => {});
  parts.add(preload);
  const draw = (props: Props) => {
    const error = loader.part ? null : use(loader.outcome());
    if (error) return <PartFault error={error} loader={loader} onClose={(props as { onClose?: () => void }).onClose} />;
    return loader.part && <loader.part {...props} />;
  };
  return Object.assign(draw, { preload });
}

const AGAIN_MS = 2_000;

interface PartFaultProps {
  error: Error;
  loader: Loader<unknown>;
  /** Closes the part; undefined: it stays open, and is loaded again. */
  onClose: (() => void) | undefined;
}

function PartFault({ error, loader, onClose }: PartFaultProps) {
  const [, setTries] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each failure
  useEffect(() => {
    loader.forget();
    if (!onClose) {
      const timer = setTimeout(() => setTries((tries) => tries + 1), AGAIN_MS);
      return () => clearTimeout(timer);
    }
    if (isCodeGone(error))
      toast('This needs the page to be loaded anew.', { label: 'Load it', onPress: () => location.reload() });
    else toast(`Not opened: ${error.message}`);
    onClose();
    return undefined;
  }, [error]);
  return null;
}

/** Makes a screen whose code is loaded when it is opened; the router preloads it. When its code is gone, the page is loaded anew, once. */
export function lazyScreen<Module extends object>(
  load: () => Promise<Module>,
  name: keyof Module,
): (() => ReactNode) & { preload: () => Promise<void> } {
  const loader = new Loader(async () => (await load())[name] as ComponentType);
  const draw = () => {
    const [, setTries] = useState(0);
    const error = loader.part ? null : use(loader.outcome());
    const again = () => {
      loader.forget();
      setTries((tries) => tries + 1);
    };
    if (error) return <ScreenFault error={error} onRetry={again} />;
    return loader.part && <loader.part />;
  };
  return Object.assign(draw, { preload: () => loader.begin().catch(() => {}) });
}

function ScreenFault({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const isGone = isCodeGone(error);
  useEffect(() => {
    const key = `tidemark-loaded-anew ${error.message}`;
    if (!isGone || sessionStorage.getItem(key)) return;
    sessionStorage.setItem(key, '1');
    location.reload();
  }, [isGone, error]);
  if (!isGone) return <Fault title="This screen could not be loaded" detail={error.message} onRetry={onRetry} />;
  return (
    <Message
      title="This screen needs the page to be loaded anew"
      action={
        <Button kind="primary" onPress={() => location.reload()}>
          Load the page anew
        </Button>
      }
    >
      A part of the app could not be loaded, perhaps because the service was upgraded. What you have saved stays.
    </Message>
  );
}

/** How long a screen stands before the parts are loaded that it may need next, in milliseconds. */
const QUIET_MS = 2_000;

/** Loads all lazy parts: what opens a menu or a dialog then opens it at once, also while the service does not respond. */
export function preloadParts(): void {
  for (const preload of parts) preload();
}

/** Loads all lazy parts once the page has loaded and its first screen has stood for a while. */
export function preloadPartsLater(): void {
  const wait = () =>
    setTimeout(() => ('requestIdleCallback' in window ? requestIdleCallback(preloadParts) : preloadParts()), QUIET_MS);
  if (document.readyState === 'complete') wait();
  else addEventListener('load', wait, { once: true });
}
