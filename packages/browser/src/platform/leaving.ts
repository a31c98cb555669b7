import { listen } from '../listen.js';

/** Calls back whenever the page is hidden or goes: on phones there may be no later chance. Answers what ends that. */
export function onHide(listener: () => void): () => void {
  const ends = [
    listen(window, ['pagehide'], listener),
    listen(document, ['visibilitychange'], () => {
      if (document.visibilityState === 'hidden') listener();
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}
