import type { ComponentChildren } from 'preact';

import { useMe } from '../api/queries.js';

export const useCanAct = (): boolean => useMe().data?.role === 'operator';

/** Content that only operators see. */
export function ForOperators({ children }: { readonly children: ComponentChildren }) {
  return useCanAct() ? <>{children}</> : null;
}
