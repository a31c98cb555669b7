import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';

/** State of the service as pages see it. */
export type TapMode = 'pass' | 'down' | 'error' | 'hang' | { slowMs: number } | { status: number };

/** A recorded request. */
export interface TappedRequest {
  path: string;
  /** The body, decompressed. */
  text: string;
}

/** A proxy in front of the service, which records all requests and can simulate failures. */
export interface Tap {
  url: string;
  mode: TapMode;
  requests: TappedRequest[];
  /** The number of requests without a complete response. */
  pending(): number;
  /** All bodies, concatenated. */
  sent(): string;
  /** Closes the port, so that connections are refused, or opens it again. */
  refuse(on: boolean): Promise<void>;
  close(): void;
}

/** Starts a tap on the service at `target`. */
export async function startTap(target: string): Promise<Tap> {
  let pending = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const isScript = request.url?.startsWith('/static/');
      if (!isScript) tap.requests.push({ path: request.url ?? '', text: textOf(body) });
      pending++;
      response.on('close', () => pending--);
      const { mode } = tap;
      if (isScript || mode === 'pass') return pass(target, request, response, body);
      if (mode === 'hang') return;
      if (mode === 'down') return void request.socket.destroy();
      if (mode === 'error') return void response.writeHead(500, { 'access-control-allow-origin': '*' }).end('broken');
      if ('status' in mode) return void response.writeHead(mode.status, { 'access-control-allow-origin': '*' }).end();
      setTimeout(() => pass(target, request, response, body), mode.slowMs).unref();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const tap: Tap = {
    url: `http://127.0.0.1:${port}`,
    mode: 'pass',
    requests: [],
    pending: () => pending,
    sent: () => tap.requests.map(({ text }) => text).join('\n'),
    refuse: (on) =>
      new Promise((done) => {
        if (!on) return void server.listen(port, '127.0.0.1', done);
        server.close(() => done());
        server.closeAllConnections();
      }),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return tap;
}

function textOf(body: Buffer): string {
  return (body[0] === 0x1f && body[1] === 0x8b ? gunzipSync(body) : body).toString();
}

function pass(target: string, { url, method, headers }: IncomingMessage, response: ServerResponse, body: Buffer): void {
  const { host: _, ...others } = headers;
  const onward = forward(target + url, { method, headers: others }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  onward.end(body);
}
