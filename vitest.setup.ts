import fc from 'fast-check';

// a property is tried as often as it says, or as often as a slow machine can in a minute
fc.configureGlobal({ interruptAfterTimeLimit: 60_000 });
