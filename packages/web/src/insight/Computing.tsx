import { useEffect, useState } from 'react';
import { Button } from '../ui/Button.js';

/** What is computed in less time is not announced. */
const QUIET_MS = 300;

/** After 300 ms: how long the question has been computed, and a way to stop it. `name`: names the answer where a screen has several. */
export function Computing({ onStop, name = '' }: { onStop: () => void; name?: string }) {
  const [ms, setMs] = useState(0);
  useEffect(() => {
    const begin = performance.now();
    const timer = setInterval(() => setMs(performance.now() - begin), QUIET_MS);
    return () => clearInterval(timer);
  }, []);
  if (ms < QUIET_MS) return null;
  return (
    <p role="status" className="flex min-h-8 items-center gap-2 text-12 whitespace-nowrap text-text-3">
      <span className="tnum">Computing for {(ms / 1_000).toFixed(1)} s</span>
      <Button isSmall kind="quiet" {...(name && { 'aria-label': `Stop computing ${name}` })} onPress={onStop}>
        Stop
      </Button>
    </p>
  );
}

/** In place of an answer that somebody stopped before there was any. */
export const Stopped = ({ onAgain }: { onAgain: () => void }) => (
  <p className="flex min-h-8 flex-wrap items-center gap-2 text-12 text-text-2">
    Stopped before there was an answer.
    <Button isSmall onPress={onAgain}>
      Compute
    </Button>
  </p>
);
