import type { Client, ClientInternals } from '@tidemark/client';
import type { BrowserOptions } from '../options.js';
import { respectPolicy } from './policy.js';

/** Starts what need not start with the page. Rarely needed parts are files of their own. Returns a function that ends all. */
export function startLater(client: Client, internals: ClientInternals, given: BrowserOptions): () => void {
  const ends = [respectPolicy(internals)];
  const load = async <Part>(part: Promise<Part>, start: (part: Part) => undefined | (() => void)) => {
    // the next page tries again to load a part that failed
    const loaded = await part.catch(() => undefined);
    const end = loaded && client.isInitialized && internals.guard(() => start(loaded));
    if (end) ends.push(end);
  };
  if (internals.stored.ofOtherPages('queue').size) {
    void load(import('../resume.js'), ({ resume }) => resume().setup(client, internals));
  }
  // during development
  if (internals.options().debug || /^(localhost|127\.)/.test(location.hostname)) {
    void load(import('../option-names/check-options.js'), ({ checkOptions }) => checkOptions(given, internals.log));
  }
  let isFollowed = false;
  const follow = () => {
    const options: BrowserOptions = internals.options();
    const config = internals.remoteConfig() ?? {};
    const switches = [
      ...[options.exceptions, options.web_vitals, options.dead_clicks, options.surveys],
      ...[config.autocaptureExceptions, config.capturePerformance, config.captureDeadClicks, config.surveys],
    ];
    if (isFollowed || !switches.some(Boolean)) return;
    isFollowed = true;
    void load(import('./project-features.js'), ({ followProject }) => followProject(client, internals, given));
  };
  follow();
  ends.push(client.on('config', follow));
  return () => {
    for (const end of ends) end();
  };
}
