import { init } from '@tidemark/node';

/** The project's public key: the same as the browser's. */
export const apiKey = process.env.TIDEMARK_PROJECT_KEY ?? '';

/** Where the service is. */
export const host = process.env.TIDEMARK_HOST ?? 'http://127.0.0.1:8000';

/** One client for the process. */
export const analytics = init(apiKey, { host });
