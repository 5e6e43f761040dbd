import type { ComponentChildren } from 'preact';

/** What stands where there is nothing: a dash, unless something says more. On a narrow screen the dash is left out. */
export const None = ({ children }: { readonly children?: ComponentChildren }) =>
  children === undefined ? <span class="quiet none">–</span> : <span class="quiet">{children}</span>;
