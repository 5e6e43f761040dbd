import type { ComponentChildren } from 'preact';

import { Link } from './link.js';

export function Tiles({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    <ul class="tiles" aria-label={label}>
      {children}
    </ul>
  );
}

interface TileProps {
  readonly name: string;
  readonly value: ComponentChildren;
  readonly to?: string;
  /** The state that gives it its color. */
  readonly mark?: string;
}

export function Tile({ name, value, to, mark }: TileProps) {
  const content = (
    <>
      <span class="tile-name">
        {mark && <span class={`tile-mark mark-${mark}`} aria-hidden="true" />}
        {name}
      </span>
      <span class="tile-value number">{value}</span>
    </>
  );
  return <li>{to ? <Link to={to}>{content}</Link> : <div>{content}</div>}</li>;
}
