import { mount } from './mount.js';

/** The page of a recording: a document that has the player alone. Its attributes are the options. */
const root = document.getElementById('player');
const { snapshots, facts = '[]', link } = root?.dataset ?? {};
if (root && snapshots) {
  const at = Number(new URLSearchParams(location.search).get('t')) || 0;
  mount(root, {
    snapshots,
    facts: JSON.parse(facts),
    at,
    ...(link ? { linkTo: (seconds) => new URL(`${link}?t=${seconds}`, location.href).href } : {}),
  });
}
