import { CircleAlert, Lock } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from './Button.js';
import { classNames } from './class-names.js';

interface MessageProps {
  icon?: ReactNode;
  /** The fact. */
  title: string;
  /** The cause, and what to do. */
  children?: ReactNode;
  /** The one next step. */
  action?: ReactNode;
  /** Where it stands: alone, in place of a chart, or in a tile, whose name is above it. */
  place?: 'alone' | 'chart' | 'tile';
}

const PLACES = { alone: 'gap-2 p-6 text-13', chart: 'gap-2 py-6 text-13', tile: 'min-h-full justify-center gap-1 text-12' };

/** The one voice of empty and faulty places: the fact in bold, then the cause and one action. */
export function Message({ icon, title, children, action, place = 'alone' }: MessageProps) {
  return (
    <div className={classNames('flex flex-col items-start wrap-anywhere', PLACES[place])}>
      {icon && <span className="text-text-3">{icon}</span>}
      <p className={classNames('font-strong', place === 'tile' ? 'text-13' : 'text-14')}>{title}</p>
      {children && <div className="max-w-prose text-text-2">{children}</div>}
      {action && <div className="mt-1">{action}</div>}
    </div>
  );
}

/** A list or tile that could not be loaded. */
export const Fault = ({ title, detail, onRetry }: { title: string; detail: string; onRetry?: () => void }) => (
  <div role="alert">
    <Message
      icon={<CircleAlert size={16} aria-hidden className="text-bad" />}
      title={title}
      action={onRetry && <Button onPress={onRetry}>Try again</Button>}
    >
      {detail}
    </Message>
  </div>
);

/** What the person's access level does not allow. @param props.needs who can give it */
export const NoPermission = ({ verb = 'see', what, needs }: { verb?: 'see' | 'create'; what: string; needs: string }) => (
  <Message icon={<Lock size={16} aria-hidden />} title={`You cannot ${verb} ${what}`}>
    {needs}
  </Message>
);

/** Lines in place of rows that are loading. It appears after 300 ms, so that quick answers do not flash. */
export function Skeleton({ rows = 5 }: { rows?: number }) {
  return (
    <div role="status" aria-label="Loading" className="animate-[appear_0ms_var(--spin-after)_both] divide-y divide-border">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
        <div key={row} className="flex h-row items-center px-3">
          <span className="h-2.5 rounded-s bg-hover" style={{ width: `${60 - ((row * 17) % 35)}%` }} />
        </div>
      ))}
    </div>
  );
}
