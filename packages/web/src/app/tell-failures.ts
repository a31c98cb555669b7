import { ApiFailure } from '../data/api.js';
import { toast } from '../ui/toast.js';

/** Tells of each request that failed without a word: what a person has asked for never fails in silence. */
export function tellFailures(): void {
  addEventListener('unhandledrejection', (event) => {
    if (!(event.reason instanceof ApiFailure)) return;
    event.preventDefault();
    toast(`Not done: ${event.reason.message}`);
  });
}
