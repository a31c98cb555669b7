import 'react';

/** Elements of a platform, as tests render them. */
declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'view-host': Record<string, unknown>;
      'text-host': Record<string, unknown>;
      'input-host': Record<string, unknown>;
    }
  }
}
