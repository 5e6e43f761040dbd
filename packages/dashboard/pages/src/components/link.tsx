import type { ComponentChildren } from 'preact';
import { Link as RouterLink } from 'wouter-preact';

import { database } from '../api/database.js';

/** The parameters of a path. */
export type Parameters = Readonly<Record<string, string | number | undefined>>;

/** Returns a path of the dashboard with the current database. Undefined and empty parameters are left out. */
export function pathTo(path: string, parameters: Parameters = {}): string {
  const query = new URLSearchParams();
  const all: Parameters = { ...parameters, database: database.value };
  for (const [name, value] of Object.entries(all)) {
    if (value !== undefined && value !== '') {
      query.set(name, String(value));
    }
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

export const jobPath = (id: string): string => pathTo(`/jobs/${encodeURIComponent(id)}`);
export const graphPath = (id: string): string => pathTo(`/jobs/${encodeURIComponent(id)}/graph`);
/** The list of the members of a group. */
export const groupPath = (id: string, filter: Parameters): string =>
  pathTo(`/groups/${encodeURIComponent(id)}`, filter);
/** The card of a worker among all workers. */
export const workerPath = (id: string): string => `${pathTo('/workers')}#worker-${encodeURIComponent(id)}`;
export const queuePath = (queue: string): string => pathTo(`/queues/${encodeURIComponent(queue)}`);

interface LinkProps {
  readonly to: string;
  readonly class?: string;
  readonly isCurrent?: boolean;
  readonly label?: string;
  readonly title?: string;
  /** The state of the new entry in the browser's history. */
  readonly state?: object;
  readonly children: ComponentChildren;
}

export function Link({ to, isCurrent, label, children, ...rest }: LinkProps) {
  return (
    <RouterLink href={to} aria-current={isCurrent ? 'page' : undefined} aria-label={label} {...rest}>
      {children}
    </RouterLink>
  );
}
