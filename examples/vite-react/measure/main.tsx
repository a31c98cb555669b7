// What `npm run bench -- react` measures: what 1,000 rows take to mount, with and without a flag read in each.
import { AnalyticsProvider, useFeatureFlagEnabled } from '@tidemark/react';
import { type ReactNode, useState } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';

declare module '@tidemark/react' {
  interface FlagRegistry {
    [key: `flag-${number}`]: { value: boolean; payload: null };
  }
}

declare global {
  var mount: (kind: keyof typeof KINDS) => void;
  var unmount: () => void;
}

const ROWS = 1_000;
const FLAGS = 20;
const PLACES = Array.from({ length: ROWS }, (_, place) => place);
const featureFlags = Object.fromEntries(PLACES.map((place) => [`flag-${place}`, place % 2 === 0]));
const options = { bootstrap: { featureFlags }, disable_flags: true, disable_remote_config: true, autocapture: false };

/** A row reads no flag, one of a few, or one of its own. */
const KINDS = { plain: Plain, shared: Shared, own: Own };

function Row({ place, on }: { place: number; on: boolean }) {
  return (
    <li className="row">
      <h3>Product {place}</h3>
      <button type="button" disabled={!on}>
        Buy
      </button>
    </li>
  );
}

function Plain({ place }: { place: number }) {
  return <Row place={place} on={place % 2 === 0} />;
}

function Shared({ place }: { place: number }) {
  return <Row place={place} on={useFeatureFlagEnabled(`flag-${place % FLAGS}`)} />;
}

function Own({ place }: { place: number }) {
  return <Row place={place} on={useFeatureFlagEnabled(`flag-${place}`)} />;
}

let show = (_list: ReactNode) => {};

function List() {
  const [list, setList] = useState<ReactNode>(null);
  show = setList;
  return <ul>{list}</ul>;
}

createRoot(document.body.appendChild(document.createElement('div'))).render(
  <AnalyticsProvider apiKey="tmk_bench" options={options}>
    <List />
  </AnalyticsProvider>,
);

/** Until all rows are there and their effects have run. */
globalThis.mount = (kind) => {
  const Kind = KINDS[kind];
  flushSync(() => show(PLACES.map((place) => <Kind key={place} place={place} />)));
  // what is left of the effects
  flushSync(() => {});
};

globalThis.unmount = () => flushSync(() => show(null));
