/** A part of the core of its own file, which is loaded only where other pages have stored something. */
export { resume } from '@tidemark/client';
