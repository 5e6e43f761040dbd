import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

import { scrollNewPage } from '../state/scroll.js';

interface PageProps {
  readonly title: string;
  /** The title of the browser's tab. Default: the heading. */
  readonly tab?: string;
  readonly before?: ComponentChildren;
  readonly beside?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

let isFirst = true;

/** A page with a heading, which gets the focus after navigation from another page. */
export function Page({ title, tab = title, before, beside, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${tab} · Tablequeue`;
  }, [tab]);
  useEffect(() => {
    if (!isFirst) {
      heading.current?.focus({ preventScroll: true });
      scrollNewPage();
    }
    isFirst = false;
  }, []);
  return (
    <>
      <header class="page-head">
        <div class="page-title">
          {before}
          <div class="page-heading">
            <h1 ref={heading} tabIndex={-1}>
              {title}
            </h1>
            {beside}
          </div>
        </div>
        {actions && <div class="page-actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

/** Moves the focus to the heading if its element was removed, for example a pressed button. */
export function keepFocus(): void {
  if (document.activeElement === document.body) {
    document.querySelector('h1')?.focus({ preventScroll: true });
  }
}
