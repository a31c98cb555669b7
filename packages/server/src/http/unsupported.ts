import { z } from 'zod';

/** A field that clients know and the service does not: it may say what changes nothing (nothing, false, or `neutral`), and is refused otherwise. */
export const unsupported = (message: string, ...neutral: unknown[]) =>
  z
    .unknown()
    .superRefine((value, ctx) => {
      if (value === undefined || value === null || value === false || neutral.includes(value) || isEmpty(value)) return;
      ctx.addIssue({ code: 'custom', message, params: { code: 'invalid_input' } });
    })
    .optional()
    .describe(`Not supported: ${message}`);

/** A field that always has this value: a request may say so or leave it out, and is refused when it says anything else. */
export const always = (value: string | number | boolean, message: string) =>
  z
    .unknown()
    .superRefine((given, ctx) => {
      if (given === undefined || given === null || String(given).toLowerCase() === String(value)) return;
      ctx.addIssue({ code: 'custom', message, params: { code: 'invalid_input' } });
    })
    .optional()
    .describe(`Always ${value}: ${message}`);

const isEmpty = (value: unknown): boolean => typeof value === 'object' && value !== null && Object.keys(value).length === 0;
