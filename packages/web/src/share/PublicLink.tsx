import { ExternalLink } from 'lucide-react';
import { useState } from 'react';
import type { Shared, ShareSettings, Sharing, SharingFields } from '../data/sharing.js';
import { Button, buttonClass } from '../ui/Button.js';
import { Checkbox } from '../ui/Checkbox.js';
import { CopyButton } from '../ui/CodeBlock.js';
import { Switch } from '../ui/Switch.js';
import { TextField } from '../ui/TextField.js';
import { whoSees, whoSeesByLink } from './audience-text.js';
import { Effect } from './Effect.js';
import { Passwords } from './Passwords.js';
import { secondsOf, timeOf } from './play-time.js';

export interface PublicLinkProps {
  shared: Shared;
  sharing: Sharing;
  /** `storing`: the link is being turned on, and opens nothing yet. `new`: it was turned on in this dialog. */
  state: 'storing' | 'new' | 'known';
  /** Where a recording begins, in seconds; undefined: at its start, or it is no recording. */
  at?: number | undefined;
  onChange: (fields: SharingFields) => void;
  onRotate: () => void;
  isRotating: boolean;
}

/** The public link with its options, and who would see it. */
export function PublicLink({ shared, sharing, state, at, onChange, onRotate, isRotating }: PublicLinkProps) {
  const isOpen = sharing.enabled;
  const isRecording = shared.kind === 'session_recording';
  const [start, setStart] = useState(timeOf(at ?? 0));
  const seconds = isRecording ? secondsOf(start) : 0;
  const page = `${location.origin}/shared/${sharing.access_token}`;
  const link = seconds ? `${page}?t=${seconds}` : page;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <div className="grid gap-1">
        <Switch isSelected={isOpen} onChange={(enabled) => onChange({ enabled })}>
          <span>
            <b className="block font-medium">Anyone with the link can see it</b>
            {isOpen && (
              <span className="text-12 text-text-3">
                {`Opened ${sharing.view_count.toLocaleString('en')} times. Nothing is stored of who did.`}
              </span>
            )}
          </span>
        </Switch>
        <Effect shared={shared} change={{ enabled: !isOpen }}>
          {({ now, after, organization_members: all, is_link_allowed: isAllowed }) => {
            if (!isAllowed) return `Now: ${whoSees(now, all)}. The organization does not allow public links.`;
            return isOpen
              ? `Now: ${whoSees(now, all)}. Without the link: ${whoSees(after, all)}.`
              : `Now: ${whoSees(now, all)}. With the link: ${whoSeesByLink(after)}, too.`;
          }}
        </Effect>
      </div>
      {/* always there, so that screen readers say what it begins to say */}
      <p role="status" className={state === 'storing' ? 'text-13 text-text-2' : 'sr-only'}>
        {state === 'storing' ? 'Turning the link on…' : isOpen && state === 'new' ? 'The link is on' : ''}
      </p>
      {isOpen && state !== 'storing' && (
        <>
          <div className="flex flex-wrap items-center gap-2">
            <code className="min-w-40 flex-1 truncate rounded-m bg-sunken px-2 py-2 font-mono text-12">{link}</code>
            <CopyButton text={link} what="the link" isSmall={false} />
            <a href={link} target="_blank" rel="noreferrer" className={buttonClass()}>
              <ExternalLink size={14} aria-hidden />
              Open
            </a>
            <Button onPress={onRotate} isDisabled={isRotating}>
              New address
            </Button>
          </div>
          {isRecording && (
            <div className="max-w-40">
              <TextField
                label="Begin at"
                help="Minutes and seconds, such as 1:30"
                value={start}
                onChange={setStart}
                error={seconds === null ? 'Write minutes and seconds, such as 1:30.' : null}
              />
            </div>
          )}
          <p className="text-12 text-text-3">With a new address, the one before opens nothing after five minutes.</p>
          <Passwords shared={shared} sharing={sharing} onRequire={(password_required) => onChange({ password_required })} />
          <PageOptions
            isRecording={isRecording}
            settings={(sharing.settings ?? {}) as ShareSettings}
            onChange={(settings) => onChange({ settings })}
          />
        </>
      )}
    </div>
  );
}

interface PageOptionsProps {
  isRecording: boolean;
  settings: ShareSettings;
  onChange: (settings: ShareSettings) => void;
}

/** What the public page shows. The page of a recording has no charts. */
function PageOptions({ isRecording, settings, onChange }: PageOptionsProps) {
  const set = (next: ShareSettings) => onChange({ ...settings, ...next });
  return (
    <fieldset className="grid min-w-0 gap-2">
      <legend className="mb-1 text-12 font-medium text-text-2">What the page shows</legend>
      {!isRecording && (
        <>
          <Checkbox isSelected={settings.dateRange ?? false} onChange={(dateRange) => set({ dateRange })}>
            Visitors may choose the dates
          </Checkbox>
          <Checkbox isSelected={settings.downloads ?? false} onChange={(downloads) => set({ downloads })}>
            Visitors may download the picture and the numbers
          </Checkbox>
          <Checkbox isSelected={settings.legend ?? true} onChange={(legend) => set({ legend })}>
            Legends of charts
          </Checkbox>
          <Checkbox isSelected={settings.detailed ?? false} onChange={(detailed) => set({ detailed })}>
            Numbers below charts
          </Checkbox>
        </>
      )}
      <Checkbox isSelected={!(settings.hideExtraDetails ?? false)} onChange={(isIn) => set({ hideExtraDetails: !isIn })}>
        Descriptions and dates
      </Checkbox>
      <Checkbox isSelected={!(settings.whitelabel ?? false)} onChange={(isIn) => set({ whitelabel: !isIn })}>
        The name Tidemark
      </Checkbox>
    </fieldset>
  );
}
