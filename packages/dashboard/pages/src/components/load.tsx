import type { ComponentChildren } from 'preact';
import { useErrorBoundary } from 'preact/hooks';

import { RequestError } from '../api/request-error.js';
import { Icon, type IconName } from './icon.js';

interface EmptyProps {
  readonly icon?: IconName;
  readonly title: string;
  readonly children?: ComponentChildren;
}

export function Empty({ icon = 'check', title, children }: EmptyProps) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Shows the problem that the server responded with, and a button to try again. */
export function ProblemNote({ error, retry }: { readonly error: unknown; readonly retry: () => unknown }) {
  const { title, detail, status, type } =
    error instanceof RequestError
      ? error.problem
      : { title: 'Error in the dashboard', detail: String(error), status: 0, type: undefined };
  return (
    <div class="problem" role="alert">
      <Icon name="alert" />
      <div>
        <h2>{title}</h2>
        {detail && detail !== title && <p>{detail}</p>}
        {status > 0 && (
          <p class="quiet">
            Status {status}
            {type && type !== 'about:blank' && (
              <>
                {' · '}
                <code>{type}</code>
              </>
            )}
          </p>
        )}
        <button type="button" class="button" onClick={() => void retry()}>
          <Icon name="retry" />
          Try again
        </button>
      </div>
    </div>
  );
}

/** A placeholder for lines of text. */
function Skeleton({ lines = 3, label = 'Loading' }: { readonly lines?: number; readonly label?: string }) {
  return (
    <div class="skeleton" role="status" aria-label={label}>
      {Array.from({ length: lines }, (_line, index) => (
        <div key={index} class="skeleton-line" />
      ))}
    </div>
  );
}

interface Loaded<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

interface LoadProps<T> {
  readonly from: Loaded<T>;
  readonly lines?: number;
  readonly children: (data: T) => ComponentChildren;
}

/** Shows a placeholder, an error, or the data. With an error, older data stays visible: the header shows its age. */
export function Load<T>({ from, lines = 6, children }: LoadProps<T>) {
  if (from.data !== undefined) {
    return (
      <>
        {from.error !== null && <ProblemNote error={from.error} retry={from.refetch} />}
        {children(from.data)}
      </>
    );
  }
  return from.error === null ? <Skeleton lines={lines} /> : <ProblemNote error={from.error} retry={from.refetch} />;
}

/** Shows an error of a page, and keeps the navigation usable. */
export function ErrorBoundary({ children }: { readonly children: ComponentChildren }) {
  const [error, reset] = useErrorBoundary((caught: unknown) => console.error(caught));
  return error === undefined ? <>{children}</> : <ProblemNote error={error as unknown} retry={reset} />;
}
