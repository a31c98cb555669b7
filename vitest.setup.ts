import fc from 'fast-check';

// a property is tried as often as it says, or as often as a slow machine can in 20 seconds
fc.configureGlobal({ interruptAfterTimeLimit: 20_000 });
