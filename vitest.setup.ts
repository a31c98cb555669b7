import fc from 'fast-check';

/** Limit of a property, seconds. For longer runs, as after a change of what it is about: `PROPERTY_SECONDS=600 npx vitest run …`. */
const SECONDS = Number(process.env.PROPERTY_SECONDS ?? 10);

// a property is tried as often as it says, or as often as the machine can until then
fc.configureGlobal({ interruptAfterTimeLimit: SECONDS * 1_000 });
