import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import { devicePropertiesOf, initialName } from '../device-properties.js';
import type { Stage } from './event-context.js';

/** Event properties that always become person properties, besides device properties. */
const AUTO_SET =
  `$app_build $app_name $app_namespace $app_version utm_source utm_medium utm_campaign utm_content utm_name utm_term gclid gad_source gclsrc dclid gbraid
  wbraid fbclid msclkid twclid li_fat_id mc_cid igshid ttclid rdt_cid irclid _kx epik qclid sccid`.split(/\s+/);

const INITIAL = AUTO_SET.map(initialName);
const SERVER_LIBRARY = /-(node|python|php|ruby|go|java|dotnet|elixir|rs)$/;

/** Collects what the event sets on its person; explicit `$set` and `$set_once` win over automatic properties. */
export const putPersonProperties: Stage = {
  name: 'put-person-properties',
  run: (context) => {
    // error reports and heatmaps describe a page, not a person
    if (!context.processProfile || context.event === '$exception' || context.event === '$$heatmap') {
      context.set = {};
      context.setOnce = {};
      return undefined;
    }
    const { properties, set, setOnce } = context;
    context.device = devicePropertiesOf(properties, fromServer(properties));
    for (let i = 0; i < AUTO_SET.length; i++) {
      const name = AUTO_SET[i] ?? '';
      const value = properties[name];
      if (value === undefined || value === null) continue;
      set[name] = value;
      setOnce[INITIAL[i] ?? ''] = value;
    }
    if (isObject(properties.$set)) Object.assign(set, properties.$set);
    if (isObject(properties.$set_once)) Object.assign(setOnce, properties.$set_once);
    context.unset = names(properties.$unset);
    return undefined;
  },
};

/** A server's operating system is not that of the person. */
function fromServer(properties: JsonObject): boolean {
  const library = properties.$lib;
  return properties.$is_server === true || (typeof library === 'string' && SERVER_LIBRARY.test(library));
}

function names(unset: Json | undefined): string[] {
  if (Array.isArray(unset)) return unset.filter((name) => typeof name === 'string');
  return isObject(unset) ? Object.keys(unset) : [];
}
