import { withMessages } from '@tidemark/client';

/** The console, with the messages of the core in full: a file of its own, which is loaded with the first message. */
export const { debug, warn, error } = withMessages(console);
