import type { ComponentChildren } from 'preact';
import { useErrorBoundary } from 'preact/hooks';

import { ProblemNote } from './states.js';

/** A page that cannot be drawn says so, and leaves the ways to the others open. */
export function Mishap({ children }: { readonly children: ComponentChildren }) {
  const [error, reset] = useErrorBoundary((caught: unknown) => console.error(caught));
  return error === undefined ? <>{children}</> : <ProblemNote error={error as unknown} retry={reset} />;
}
