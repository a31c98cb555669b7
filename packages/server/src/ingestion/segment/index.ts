export { SEGMENT_TYPES, type SegmentType } from './message.js';
export { readSegmentRequest } from './request.js';
