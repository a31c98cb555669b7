import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

type ExpressRequest = IncomingMessage & { originalUrl: string };
type ExpressResponse = ServerResponse & { status(code: number): ExpressResponse; json(value: unknown): void };
type Next = (error?: unknown) => void;
type Handler = (request: ExpressRequest, response: ExpressResponse, next: Next) => unknown;
/** Its parameters are counted, so it has to name all four. */
export type ErrorHandler = (error: unknown, request: ExpressRequest, response: ExpressResponse, next: Next) => unknown;

interface ExpressApp extends RequestListener {
  use(handler: Handler): void;
  use(handler: ErrorHandler): void;
  use(path: string, handler: Handler): void;
  get(path: string, handler: Handler): void;
  post(path: string, handler: Handler): void;
}

interface Layer {
  method?: string;
  path: string;
  handler: Handler | ErrorHandler;
}

/**
 * Calls handlers by the rules of Express 5, which is not among our packages:
 * - who takes four parameters is called for errors alone, all others while there is none;
 * - what is thrown, rejected or given to `next` is the error from then on, also a rejection without a reason;
 * - what is mounted on a path sees the rest of it in `url`, and all of it in `originalUrl`;
 * - an error that nobody answers is answered with its status, and ends a response that has begun.
 */
export function express(): ExpressApp {
  const layers: Layer[] = [];
  const app = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const request = Object.assign(incoming, { originalUrl: incoming.url ?? '/' });
    const response: ExpressResponse = Object.assign(outgoing, {
      status: (code: number) => Object.assign(response, { statusCode: code }),
      json: (value: unknown) => void response.setHeader('content-type', 'application/json').end(JSON.stringify(value)),
    });
    const rest = layers.values();
    const next: Next = (error) => {
      const { value: layer, done } = rest.next();
      if (done) return void setImmediate(answer, response, error);
      const { method = request.method, path, handler } = layer;
      if (method !== request.method || !request.originalUrl.startsWith(path)) return next(error);
      request.url = request.originalUrl.slice(path.length).replace(/^\/?/, '/');
      try {
        const result = call(handler, error, request, response, next);
        if (result instanceof Promise) result.catch((reason) => next(reason || new Error('Rejected promise')));
      } catch (thrown) {
        next(thrown);
      }
    };
    next();
  };
  const route = (method: string) => (path: string, handler: Handler) => void layers.push({ method, path, handler });
  return Object.assign(app, {
    use: (path: string | Handler | ErrorHandler, handler?: Handler) => {
      if (typeof path !== 'string') layers.push({ path: '', handler: path });
      else if (handler) layers.push({ path, handler });
    },
    get: route('GET'),
    post: route('POST'),
  });
}

function call(handler: Handler | ErrorHandler, error: unknown, request: ExpressRequest, response: ExpressResponse, next: Next) {
  if (takesErrors(handler)) return error ? handler(error, request, response, next) : next();
  return error ? next(error) : handler(request, response, next);
}

const takesErrors = (handler: Handler | ErrorHandler): handler is ErrorHandler => handler.length === 4;

/** What Express does with what nobody has answered. */
function answer(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500;
  response.writeHead(error ? status : 404).end();
}
