import { useState } from 'react';
import { useProject } from '../../app/project-context.js';
import type { Flag } from '../../data/flags.js';
import { CodeBlock } from '../../ui/CodeBlock.js';
import { Segmented } from '../../ui/Segmented.js';
import { variantColors } from '../../variants/variant-colors.js';
import { faultsOf } from './draft.js';
import { SDKS, type Sdk, snippetOf } from './snippets.js';
import { Tester } from './Tester.js';
import type { FlagEditing } from './use-flag-draft.js';
import { useReach } from './use-reach.js';

export interface FlagAsideProps {
  editing: FlagEditing;
  flag: Flag | null;
}

/** What comes of a flag: how many get it, what one person gets and why, and the code. */
export const FlagAside = ({ editing, flag }: FlagAsideProps) => (
  <aside
    aria-label="What comes of it"
    className="w-[362px] shrink-0 divide-y divide-border overflow-y-auto border-l border-border bg-surface *:p-4 max-lg:w-full max-lg:overflow-visible max-lg:border-t max-lg:border-l-0"
  >
    <WhoGetsIt editing={editing} isActive={flag?.active ?? true} />
    {flag && <Tester flag={flag} unsaved={editing.changes.length} />}
    <InYourCode editing={editing} />
  </aside>
);

/** At most how many get the flag, by the sum over the conditions. */
function WhoGetsIt({ editing: { draft }, isActive }: { editing: FlagEditing; isActive: boolean }) {
  const { conditions, variants, groupType } = draft;
  const colors = variantColors(variants.map(({ key }) => key));
  const reach = useReach(conditions, groupType);
  const known = reach.filter((one) => one !== null);
  const total = known[0]?.total ?? 0;
  const sum = reach.reduce((all, one, index) => all + ((one?.matching ?? 0) * (conditions[index]?.percentage ?? 0)) / 100, 0);
  const most = isActive ? Math.min(total, Math.round(sum)) : 0;
  const isWhole = known.length === conditions.length && conditions.length > 0;
  const share = total === 0 ? 0 : (most / total) * 100;
  const things = groupType === null ? 'people' : 'groups';
  return (
    <section aria-labelledby="who">
      <h2 id="who" className="text-13 font-strong">
        Who gets it
      </h2>
      {isWhole || conditions.length === 0 ? (
        <>
          <p className="mt-1 flex flex-wrap items-baseline gap-x-2" aria-live="polite">
            <span className="tnum text-28 font-strong">{most.toLocaleString('en')}</span>
            <span className="text-13 text-text-2">
              {conditions.length === 0
                ? `${things}: it has no condition`
                : `of ${total.toLocaleString('en')} ${things}, about ${share < 10 ? Number(share.toFixed(1)) : Math.round(share)}%`}
            </span>
          </p>
          <span aria-hidden className="mt-1 flex h-2 gap-px overflow-hidden rounded-full bg-sunken">
            {variants.length === 0 ? (
              <span className="bg-accent" style={{ width: `${share}%` }} />
            ) : (
              variants.map(({ id, percentage }, index) => (
                <span key={id} className={colors[index]} style={{ width: `${(share * percentage) / 100}%` }} />
              ))
            )}
          </span>
          <p className="mt-2 text-12 text-text-2">
            {!isActive
              ? 'The flag is off: everybody gets false.'
              : conditions.length > 1
                ? 'At most: who matches two conditions is counted twice. What other flags require is not counted.'
                : conditions.some(({ dependencies }) => dependencies.length > 0)
                  ? 'At most: what other flags require is not counted.'
                  : `Counted from all ${things} that are known.`}
          </p>
        </>
      ) : (
        <p className="mt-1 text-12 text-text-2">Counted as soon as each condition can be counted.</p>
      )}
    </section>
  );
}

function InYourCode({ editing: { draft } }: { editing: FlagEditing }) {
  const { api_token: projectKey } = useProject();
  const [sdk, setSdk] = useState<Sdk>('html');
  const { key, variants, isPayloadOnly } = draft;
  if (faultsOf(draft).key) return null;
  const variant = (variants.find((one) => one.key !== 'control') ?? variants[0])?.key ?? null;
  const code = snippetOf(sdk, { key, variant, isPayloadOnly, host: location.origin, projectKey });
  return (
    <section aria-labelledby="code" className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <h2 id="code" className="text-13 font-strong">
        In your code
      </h2>
      <div>
        <Segmented label="SDK" options={SDKS} value={sdk} onChange={setSdk} />
      </div>
      <CodeBlock code={code} what="the snippet" />
    </section>
  );
}
