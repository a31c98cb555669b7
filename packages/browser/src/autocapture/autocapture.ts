import type { Feature } from '@tidemark/client';
import { listen } from '../listen.js';
import { loadDeferred } from '../load-deferred.js';
import { NOT_CAPTURED } from '../privacy-marks.js';
import { pathTo, tagOf, targetOf } from './element-path.js';
import type { Interaction } from './interaction.js';
import { isInteraction, isMarked } from './is-interaction.js';
import type { AutocaptureOptions } from './options.js';

/**
 * Captures clicks, changes of fields and submits as `$autocapture`, never typed text. The code that describes elements is loaded after the start of
 * the page. On a page that ends before, clicks are captured with tags only, or not at all if a list restricts them.
 * @example init('tmk_…', { autocapture: false, features: [autocapture({ css_selector_allowlist: ['.shop'] })] })
 */
export function autocapture(options: AutocaptureOptions = {}): Feature {
  return {
    name: 'autocapture',
    setup(client, { guard, platform, remoteConfig }) {
      const early: Interaction[] = [];
      const copies = options.capture_copied_text;
      const captureTags = ({ event: { type }, path, counts, at }: Interaction) => {
        const chain = path.map((element) => `${tagOf(element)}:`).join(';');
        if (counts && !/list"/.test(JSON.stringify(options)))
          client.capture('$autocapture', { $event_type: type, $elements_chain: chain }, { timestamp: at });
      };
      let describe: typeof captureTags | undefined;
      const describeEarly = () => {
        for (const interaction of early.splice(0)) guard(() => (describe ?? captureTags)(interaction));
      };
      const captured = (event: Event) => {
        const target = !client.isOptedOut() && !remoteConfig()?.autocapture_opt_out && targetOf(event);
        if (!target) return;
        const path = pathTo(target);
        if (isMarked([...path, document.documentElement], NOT_CAPTURED)) return;
        early.push({
          event,
          path,
          selection: describe && getSelection(),
          url: location.href,
          counts: isInteraction(path, event.type),
          at: platform.clock.now(),
        });
        if (describe) describeEarly();
      };
      void loadDeferred().then((loaded) => {
        describe = loaded?.describeInteractions(client, options) ?? captureTags;
        describeEarly();
      });
      const given: readonly string[] = options.dom_event_allowlist ?? ['click', 'change', 'submit'];
      const types = given.concat(copies ? ['copy', 'cut'] : []);
      // in the capture phase, since the page may stop the propagation of events
      const unlisten = listen(document, types, (event) => void guard(() => captured(event)), true);
      const unwatch = client.on('flush', describeEarly);
      return () => {
        unlisten();
        unwatch();
      };
    },
  };
}
