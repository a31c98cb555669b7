import type { Properties } from './event.js';

/**
 * The events of your application, for the compiler. Empty: any name goes. Fill it by declaration merging, and a name that is not in it, or
 * a property of another type, no longer compiles. Names that begin with `$` are the library's own, and always go.
 * @example
 * declare module '@tidemark/client' {
 *   interface EventRegistry { 'Signed Up': { plan: 'free' | 'pro' }; 'Logged Out': {} }
 * }
 */
// biome-ignore lint/suspicious/noEmptyInterface: it is there to be filled by the application
export interface EventRegistry {}

/** The name of an event; any text while the registry is empty. */
export type EventName = [keyof EventRegistry] extends [never] ? string : (keyof EventRegistry & string) | `$${string}`;
/** The properties of an event: those of the registry, and any other ones. */
export type EventPropertiesOf<Name> = Name extends keyof EventRegistry ? EventRegistry[Name] & Properties : Properties;
