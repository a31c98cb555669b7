/** Longest part of an identifier that counts; Unicode scalar values. */
export const MAX_IDENTIFIER = 200;

/** The first 15 hex digits of a SHA-1, as a share of 2^60: a number from 0 to 1. */
export const hashOf = (hex: string): number => Number.parseInt(hex.slice(0, 15), 16) / 2 ** 60;
