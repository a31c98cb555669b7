import type { Properties } from '@tidemark/client';
import { Component, type ErrorInfo, type ReactNode } from 'react';
import type { Scope } from './scope.js';
import { ScopeContext } from './use-analytics.js';

/** Props of the error boundary. */
export interface ErrorBoundaryProps {
  children?: ReactNode;
  /** Rendered instead of children that failed, or a function of the error; `retry` renders the children again. */
  fallback?: ReactNode | ((error: unknown, retry: () => void) => ReactNode);
  /** Properties of the exception, or a function that returns them. */
  properties?: Properties | ((error: unknown, info: ErrorInfo) => Properties);
}

interface State {
  failed: boolean;
  error?: unknown;
}

/**
 * Captures errors of rendering children, with the component stack, and renders the fallback.
 *
 * @example
 * ```tsx
 * <ErrorBoundary fallback={<p>Something went wrong.</p>}>
 *   <Checkout />
 * </ErrorBoundary>
 * ```
 */
export class ErrorBoundary extends Component<ErrorBoundaryProps, State> {
  static override contextType = ScopeContext;
  declare context: Scope | null;
  override state: State = { failed: false };

  static getDerivedStateFromError(error: unknown): State {
    return { failed: true, error };
  }

  override componentDidCatch(error: unknown, info: ErrorInfo): void {
    linkComponentStack(error, info);
    let { properties } = this.props;
    try {
      if (typeof properties === 'function') properties = properties(error, info);
    } catch (fault) {
      // the application's function must not end the page, here of all places
      this.context?.warn(`ErrorBoundary: ${fault}`);
      properties = undefined;
    }
    const more = properties;
    this.context?.withClient((client) => client.captureException(error, more));
  }

  override render(): ReactNode {
    const { children, fallback } = this.props;
    if (!this.state.failed) return children;
    const retry = () => this.setState({ failed: false });
    return typeof fallback === 'function' ? fallback(this.state.error, retry) : fallback;
  }
}

/** Makes the stack of components the last cause of the error, which is where exceptions carry more stacks. */
function linkComponentStack(error: unknown, { componentStack }: ErrorInfo): void {
  if (!(error instanceof Error) || !componentStack) return;
  let last = error;
  // causes can go in a circle
  for (let depth = 0; depth < 9 && last.cause instanceof Error; depth++) last = last.cause;
  const cause = new Error(error.message);
  cause.name = 'ComponentStack';
  cause.stack = cause + componentStack;
  try {
    last.cause ??= cause;
  } catch {
    // a frozen error goes without
  }
}
