export { daysOf } from './days-of.js';
export { laidOver, type Overlay } from './laid-over.js';
export { overrideParam } from './override.js';
export { refreshParam } from './refresh.js';
export { goneSignal, NO_RESULT, type Result, type ResultFields, type Results, resultsOf } from './result-of.js';
export { innerQuery, rewrapped } from './wrapped.js';
