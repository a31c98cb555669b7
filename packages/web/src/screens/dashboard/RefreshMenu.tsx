import { Timer } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Button } from '../../ui/Button.js';
import { Menu, MenuRow } from '../../ui/Menu.js';

const PERIODS = [0, 30, 60, 300, 1800];

/** How often tiles are read anew, in seconds; 0: never by themselves. */
export function RefreshMenu({ seconds, onChange }: { seconds: number; onChange: (seconds: number) => void }) {
  const label = (every: number) =>
    every === 0 ? 'No automatic refresh' : every < 60 ? `Every ${every} seconds` : `Every ${every / 60} minutes`;
  return (
    <Menu
      label="Automatic refresh"
      trigger={
        <Button isSmall kind="quiet" icon={<Timer size={14} aria-hidden />}>
          {/* on a phone the bar keeps to one row */}
          <span className="max-sm:sr-only">{seconds === 0 ? 'Auto refresh' : label(seconds)}</span>
        </Button>
      }
    >
      {PERIODS.map((every) => (
        <MenuRow key={every} onAction={() => onChange(every)}>
          {label(every)}
        </MenuRow>
      ))}
    </Menu>
  );
}

/** Periods below this are not honoured, so that an address cannot overload the service. */
const SHORTEST_SECONDS = 10;

/** Refreshes every so many seconds while the page is visible. */
export function useAutoRefresh(seconds: number, refresh: () => void): void {
  const latest = useRef(refresh);
  latest.current = refresh;
  useEffect(() => {
    if (seconds < SHORTEST_SECONDS) return;
    const timer = setInterval(() => document.visibilityState === 'visible' && latest.current(), seconds * 1_000);
    return () => clearInterval(timer);
  }, [seconds]);
}
