import { type Agent, request as httpRequest } from 'node:http';
import type { FuzzRequest } from './operations.js';
import type { Outcome } from './tally.js';

/** Timeout of a request, milliseconds. A query may take 60 s, and wait for others before. */
const TIMEOUT_MS = 120_000;
/** Maximal recorded length of a response, characters. */
const MAX_RECORDED = 20_000;

/** Sends one request to the loopback interface. Never rejects. */
export function send(
  agent: Agent,
  port: number,
  { method, path, headers, body }: FuzzRequest,
): Promise<{ outcome: Outcome; answer: string }> {
  return new Promise((resolve) => {
    const end = (outcome: Outcome, answer: string) => resolve({ outcome, answer });
    const length: Record<string, string> = body === null ? {} : { 'content-length': String(body.length) };
    const sent = httpRequest({ agent, host: '127.0.0.1', port, method, path, headers: { ...headers, ...length } }, (response) => {
      let answer = '';
      response.setEncoding('latin1');
      response.on('data', (chunk: string) => {
        if (answer.length < MAX_RECORDED) answer += chunk;
      });
      response.on('end', () => end(response.statusCode ?? 0, answer));
      // the service may reject a body early and close the connection
      response.on('error', () => end(response.statusCode ?? 0, answer));
    });
    sent.setTimeout(TIMEOUT_MS, () => {
      end('time-out', '');
      sent.destroy();
    });
    sent.on('error', (error) => end('cut', error.message));
    sent.end(body ?? undefined);
  });
}
