import type { ComponentChildren } from 'preact';

const DOCS = 'https://github.com/tablequeue/tablequeue/blob/main/docs';

interface DocsLinkProps {
  /** A path below `docs`, with the heading: `operate/troubleshooting.md#no-handler`. */
  readonly page: string;
  readonly children: ComponentChildren;
}

/** A link to a page of the documentation. It opens in another tab. */
export const DocsLink = ({ page, children }: DocsLinkProps) => (
  <a href={`${DOCS}/${page}`} target="_blank" rel="noreferrer">
    {children}
  </a>
);
