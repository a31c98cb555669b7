import { Agent, type IncomingMessage, request } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { text } from 'node:stream/consumers';

/** A response that was read to its end. */
export interface Answer {
  status: number;
  statusText: string;
  header(name: string): string | null;
  text: string;
}

/** Sends bytes without copying them, as `fetch` does: an import of events does little else. Redirects are not followed. */
export function createByteSender(timeoutMs: number) {
  const [agent, secureAgent] = [new Agent({ keepAlive: true }), new SecureAgent({ keepAlive: true })];
  return async (method: string, url: string, headers: Record<string, string>, bytes: Uint8Array): Promise<Answer> => {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const options = { method, headers: { ...headers, 'content-length': bytes.length } };
      const sent = url.startsWith('https:')
        ? secureRequest(url, { ...options, agent: secureAgent })
        : request(url, { ...options, agent });
      sent.setTimeout(timeoutMs, () => sent.destroy(new Error('the request took too long')));
      sent.on('response', resolve).on('error', reject).end(bytes);
    });
    const { statusCode = 0, statusMessage = '' } = response;
    const header = (name: string) => response.headers[name]?.toString() ?? null;
    return { status: statusCode, statusText: statusMessage, header, text: await text(response) };
  };
}
