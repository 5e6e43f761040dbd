import type { ComponentChildren } from 'preact';

/** Shows a text, or else a dash, in place of a missing value. On a narrow screen the dash is hidden. */
export const EmptyValue = ({ children }: { readonly children?: ComponentChildren }) =>
  children === undefined ? <span class="quiet none">–</span> : <span class="quiet">{children}</span>;
