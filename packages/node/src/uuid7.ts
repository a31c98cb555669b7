import { randomFillSync } from 'node:crypto';
import { uuid7Maker } from '@tidemark/client';

/** A UUID version 7 of the time (epoch milliseconds) or of now. */
export const uuid7 = uuid7Maker(() => Date.now(), randomFillSync);
