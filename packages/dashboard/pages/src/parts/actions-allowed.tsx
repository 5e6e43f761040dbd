import type { ComponentChildren } from 'preact';

import { useMe } from '../api/queries.js';

export const useMayAct = (): boolean => useMe().data?.role === 'operator';

/** What only operators see. */
export function ForOperators({ children }: { readonly children: ComponentChildren }) {
  return useMayAct() ? <>{children}</> : null;
}
