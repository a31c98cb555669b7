import '@tanstack/react-router';

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** Whether the navigation is folded to icons, for screens that need the width. */
    foldsNavigation?: boolean;
  }
}
