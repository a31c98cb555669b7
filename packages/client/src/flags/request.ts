import type { HttpAnswer, Timers } from '../platform.js';

const FIRST_PAUSE_MS = 300;

/**
 * Makes a flag request, and retries it (after 300 ms, 600 ms, …) when no answer came or a gateway got none (502, 504).
 * Any other answer is final. Rejects when the last attempt got no answer.
 */
export async function requestFlags(attempt: () => Promise<HttpAnswer>, timers: Timers, retries: number): Promise<HttpAnswer> {
  for (let retried = 0; ; retried++) {
    try {
      const answer = await attempt();
      if ((answer.status !== 502 && answer.status !== 504) || retried >= retries) return answer;
    } catch (error) {
      if (retried >= retries) throw error;
    }
    await new Promise<void>((resolve) => void timers.set(resolve, FIRST_PAUSE_MS * 2 ** retried));
  }
}
