import type { ComponentChildren } from 'preact';
import { useErrorBoundary } from 'preact/hooks';

import { ProblemNote } from './load.js';

/** Shows an error of a page, and keeps the navigation usable. */
export function ErrorBoundary({ children }: { readonly children: ComponentChildren }) {
  const [error, reset] = useErrorBoundary((caught: unknown) => console.error(caught));
  return error === undefined ? <>{children}</> : <ProblemNote error={error as unknown} retry={reset} />;
}
