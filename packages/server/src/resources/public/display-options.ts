import type { Share } from './store.js';

/** How a public page looks: what is stored, never what the address says. */
export interface Look {
  /** `system`: as the visitor has it. */
  theme: 'light' | 'dark' | 'system';
  hasHeader: boolean;
  hasName: boolean;
  hasDetails: boolean;
  hasNumbers: boolean;
  hasLegend: boolean;
}

export function lookOf({ theme, noHeader, whitelabel, hideExtraDetails, detailed, legend }: Share['settings']): Look {
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
    hasHeader: noHeader !== true,
    hasName: whitelabel !== true,
    hasDetails: hideExtraDetails !== true,
    hasNumbers: detailed === true,
    hasLegend: legend !== false,
  };
}
