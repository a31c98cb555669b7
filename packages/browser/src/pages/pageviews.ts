import type { Feature, Properties } from '@tidemark/client';
import { listen } from '../listen.js';
import { loadDeferred } from '../load-deferred.js';
import { type HistoryChange, hasNavigation, onNavigation } from './navigations.js';
import type { ScrollDepth } from './scroll-depth.js';

/** Which page views are captured. */
export interface PageviewOptions {
  /** True (default): on load, and when the path changes within the document. `load`: on load only. False: none. */
  pageview?: boolean | 'load' | undefined;
  /** `$pageleave` when the page goes; default: if page views are captured. */
  pageleave?: boolean | undefined;
}

interface PageView {
  /** Properties of its events; the same object each time, see `enrich`. */
  onEvents: { $pageview_id: string };
  pathname: string;
  since: number;
}

/**
 * Captures `$pageview` and `$pageleave`, with how long and how far down the page was seen.
 * @example init('tmk_…', { capture_pageview: false, features: [pageviews({ pageview: 'load' })] })
 */
export function pageviews({ pageview = true, pageleave = pageview !== false }: PageviewOptions = {}): Feature {
  return {
    name: 'pageviews',
    setup(client, { platform, enrich, guard }) {
      let depth: ScrollDepth | undefined;
      let ended = false;
      let current: PageView | undefined;
      let path = location.pathname;
      let missed = false;
      const ends: (() => void)[] = [];

      const previous = (): Properties =>
        current
          ? {
              $prev_pageview_id: current.onEvents.$pageview_id,
              $prev_pageview_pathname: current.pathname,
              $prev_pageview_duration: (platform.clock.now() - current.since) / 1_000,
              ...depth?.properties(),
            }
          : {};
      const view = (properties: Properties = {}) => {
        const about = { title: document.title, ...previous(), ...properties };
        const onEvents = { $pageview_id: platform.ids.uuid7() };
        current = { onEvents, pathname: location.pathname, since: platform.clock.now() };
        depth?.restart();
        missed = !client.capture('$pageview', about);
      };
      const leave = () => {
        // into the queue, which is flushed right after this
        if (current) client.capture('$pageleave', { title: document.title, ...previous() });
      };
      const hear = (target: EventTarget, type: string, listener: (event: Event) => void) => {
        // in the capture phase, so that `$pageleave` is queued before the core's own `pagehide` listener hands the queue over
        ends.push(listen(target, [type], (event) => void guard(() => listener(event)), true));
      };

      enrich(() => current?.onEvents);
      if (pageview) {
        const first = () => {
          // hidden until now: a background tab, or a prerendered page
          if (!current && document.visibilityState === 'visible') view();
        };
        first();
        // seen before the person opted in
        ends.push(client.on('consent', (status) => void (status === 'granted' && missed && view())));
        hear(document, 'visibilitychange', first);
        hear(window, 'pageshow', (event) => {
          if (event instanceof PageTransitionEvent && event.persisted) view({ navigation_type: 'traverse' });
        });
      }
      const changed = (change: HistoryChange) => {
        if (location.pathname === path) return;
        path = location.pathname;
        guard(() => view({ navigation_type: change }));
      };
      const tells = hasNavigation();
      if (pageview === true && tells) ends.push(onNavigation(changed));
      if (pageleave) hear(window, 'pagehide', leave);
      void loadDeferred().then(async (loaded) => {
        if (ended || !loaded) return;
        depth = loaded.watchScrollDepth();
        if (pageview !== true || tells) return;
        ends.push(await loaded.watchHistory(changed));
        if (ended) return ends.pop()?.();
        // the path may have changed before
        changed('push');
      });
      return () => {
        ended = true;
        depth?.dispose();
        for (const end of ends) end();
      };
    },
  };
}
