import type { AnyRouter } from '@tanstack/react-router';
import { AnalyticsProvider, type BrowserOptions, useAnalytics } from '@tidemark/react';
import { useEffect } from 'react';
import { onPerformed } from '../actions/actions.js';

export interface OwnUseProps {
  /** Key of the project that gets the events. */
  apiKey: string;
  router: AnyRouter;
}

/** Captures the use of the app: which screens are opened and which actions performed. Addresses are patterns without ids, and no text of a person is sent. */
export const OwnUse = ({ apiKey, router }: OwnUseProps) => (
  <AnalyticsProvider apiKey={apiKey} options={optionsFor(router)}>
    <Capture router={router} />
  </AnalyticsProvider>
);

/** What may leave the page: where, what, with which browser. */
const SENT =
  /^(\$pathname|\$current_url|\$host|action|\$browser.*|\$os.*|\$device_type|\$screen_.*|\$viewport_.*|\$lib.*|\$session_id|\$window_id|\$insert_id|\$time)$/;

function optionsFor(router: AnyRouter): BrowserOptions {
  return {
    api_host: location.origin,
    // an identity of its own, apart from that of a site on the same host
    name: 'tidemark-self',
    persistence: 'localStorage',
    autocapture: false,
    capture_pageview: false,
    capture_pageleave: false,
    exceptions: false,
    web_vitals: false,
    dead_clicks: false,
    surveys: false,
    session_recording: false,
    disable_flags: true,
    disable_remote_config: true,
    get_current_url: () => location.origin + patternOf(router),
    before_send: (event) => ({
      ...event,
      properties: {
        ...Object.fromEntries(Object.entries(event.properties).filter(([name]) => SENT.test(name))),
        $pathname: patternOf(router),
      },
    }),
  };
}

/** Path of the screen with the names of its parts instead of their values: `/p/$project/dashboards/$id`. */
const patternOf = ({ state }: AnyRouter): string => state.matches.at(-1)?.fullPath ?? '/';

function Capture({ router }: Pick<OwnUseProps, 'router'>) {
  const analytics = useAnalytics();
  useEffect(() => {
    if (!analytics) return;
    let shown = '';
    const view = () => {
      const { href } = router.state.location;
      const [path = ''] = href.split('?');
      if (path === shown) return;
      shown = path;
      // who logs in on this device next is somebody else
      if (patternOf(router) === '/login') analytics.reset();
      analytics.capture('$pageview');
    };
    // before that the address has no screen yet
    if (router.state.resolvedLocation) view();
    const ends = [
      router.subscribe('onResolved', view),
      onPerformed(({ id }) => void analytics.capture('action performed', { action: id.replace(/\d+/g, '$id') })),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, [analytics, router]);
  return null;
}
