import type { Share } from './store.js';

/** Display options of a public page, from its stored settings. Parameters of the address never change them. */
export interface DisplayOptions {
  /** `system`: the color scheme of the visitor's device. */
  theme: 'light' | 'dark' | 'system';
  hasHeader: boolean;
  hasName: boolean;
  hasDetails: boolean;
  hasNumbers: boolean;
  hasLegend: boolean;
}

export function displayOptionsOf({
  theme,
  noHeader,
  whitelabel,
  hideExtraDetails,
  detailed,
  legend,
}: Share['settings']): DisplayOptions {
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
    hasHeader: noHeader !== true,
    hasName: whitelabel !== true,
    hasDetails: hideExtraDetails !== true,
    hasNumbers: detailed === true,
    hasLegend: legend !== false,
  };
}
