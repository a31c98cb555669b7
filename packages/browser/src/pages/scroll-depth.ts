import { listen } from '../listen.js';

/** How far down a page was seen, as properties of the event that ends it. */
export interface ScrollDepth {
  /** What was seen until now. */
  properties(): Record<string, number>;
  /** Another page begins. */
  restart(): void;
  dispose(): void;
}

/** Watches the window's scrolling: pixels from the top, and shares of the page from 0 to 1. */
export function watchScrollDepth(): ScrollDepth {
  let furthest = 0;
  const scrolled = () => {
    furthest = Math.max(furthest, window.scrollY);
  };
  scrolled();
  return {
    properties: () => {
      scrolled();
      const { scrollHeight, clientHeight } = document.documentElement;
      const properties: Record<string, number> = {};
      const tell = (name: string, pixels: number, of: number) => {
        properties[`$prev_pageview_${name}`] = Math.round(pixels);
        properties[`$prev_pageview_${name}_percentage`] = of > 0 ? Math.min(1, Math.max(0, pixels / of)) : 1;
      };
      for (const [name, pixels] of Object.entries({ last: window.scrollY, max: furthest })) {
        tell(`${name}_scroll`, pixels, scrollHeight - clientHeight);
        tell(`${name}_content`, pixels + clientHeight, scrollHeight);
      }
      return properties;
    },
    restart: () => {
      furthest = window.scrollY;
    },
    dispose: listen(window, ['scroll'], scrolled, { passive: true }),
  };
}
