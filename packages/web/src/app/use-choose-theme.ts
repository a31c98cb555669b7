import { useQueryClient } from '@tanstack/react-query';
import { changeProfile } from '../data/profile.js';
import { meQuery } from '../data/session.js';
import { applyTheme, type ThemeMode } from './theme.js';

/** Shows a theme at once and stores it in the account, so that other browsers of the person have it. */
export function useChooseTheme(): (mode: ThemeMode) => void {
  const queries = useQueryClient();
  return (mode) => {
    applyTheme(mode);
    queries.setQueryData(meQuery.queryKey, (me) => me && { ...me, theme_mode: mode });
    // this browser has the theme, also when the account could not be reached
    changeProfile({ theme_mode: mode }).catch(() => {});
  };
}
