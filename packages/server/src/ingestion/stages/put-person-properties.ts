import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import { initialName, passingOf } from '../passing.js';
import type { Stage } from './draft.js';

/** What an event tells about its person without being asked, beside what it tells in passing. */
const AUTO_SET =
  `$app_build $app_name $app_namespace $app_version utm_source utm_medium utm_campaign utm_content utm_name utm_term gclid gad_source gclsrc dclid gbraid
  wbraid fbclid msclkid twclid li_fat_id mc_cid igshid ttclid rdt_cid irclid _kx epik qclid sccid`.split(/\s+/);

const INITIAL = AUTO_SET.map(initialName);
const SERVER_LIBRARY = /-(node|python|php|ruby|go|java|dotnet|elixir|rs)$/;

/** Gathers what the event sets on its person: what it says, over what it tells in passing. */
export const putPersonProperties: Stage = {
  name: 'put-person-properties',
  run: (draft) => {
    // an error report or a heatmap says where somebody is, not who they are
    if (!draft.processProfile || draft.event === '$exception' || draft.event === '$$heatmap') {
      draft.set = {};
      draft.setOnce = {};
      return undefined;
    }
    const { properties, set, setOnce } = draft;
    draft.passing = passingOf(properties, fromServer(properties));
    for (let i = 0; i < AUTO_SET.length; i++) {
      const name = AUTO_SET[i] ?? '';
      const value = properties[name];
      if (value === undefined || value === null) continue;
      set[name] = value;
      setOnce[INITIAL[i] ?? ''] = value;
    }
    if (isObject(properties.$set)) Object.assign(set, properties.$set);
    if (isObject(properties.$set_once)) Object.assign(setOnce, properties.$set_once);
    draft.unset = names(properties.$unset);
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
