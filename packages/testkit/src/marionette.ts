import { connect } from 'node:net';

/** A connection to Marionette, the protocol by which Firefox is driven: one command at a time. */
export interface Marionette {
  /** @throws Error with Firefox's message when the command fails */
  call(command: string, parameters?: object): Promise<unknown>;
  close(): void;
}

/** Connects to a Firefox started with `--marionette`. Messages are JSON, each prefixed by its length in bytes and a colon. */
export async function connectMarionette(port: number): Promise<Marionette> {
  const socket = connect(port, '127.0.0.1');
  let received = Buffer.alloc(0);
  let id = 0;
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  const greeted = new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    waiting.set(0, { resolve: () => resolve(), reject });
  });
  const take = (message: unknown) => {
    // the greeting is an object; a response is [1, id, error, result]
    const [, to, error, result]: unknown[] = Array.isArray(message) ? message : [1, 0];
    const pending = waiting.get(Number(to));
    waiting.delete(Number(to));
    if (error) pending?.reject(new Error(String(Object(error).message ?? JSON.stringify(error))));
    else pending?.resolve(result);
  };
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    for (;;) {
      const colon = received.indexOf(':');
      const length = Number(received.subarray(0, Math.max(0, colon)).toString());
      if (colon < 0 || received.length < colon + 1 + length) return;
      const message = received.subarray(colon + 1, colon + 1 + length).toString();
      received = received.subarray(colon + 1 + length);
      take(JSON.parse(message));
    }
  });
  const fail = () => {
    for (const { reject } of waiting.values()) reject(new Error('Firefox closed the connection.'));
    waiting.clear();
  };
  socket.on('close', fail).on('error', fail);
  await greeted;
  return {
    call: (command, parameters = {}) =>
      new Promise((resolve, reject) => {
        waiting.set(++id, { resolve, reject });
        const message = JSON.stringify([0, id, command, parameters]);
        socket.write(`${Buffer.byteLength(message)}:${message}`);
      }),
    close: () => void socket.destroy(),
  };
}
