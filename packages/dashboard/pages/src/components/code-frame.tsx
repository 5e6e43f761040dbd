import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';

import { formatBytes, formatNumber } from '../format/numbers.js';
import { CopyButton } from './copy-button.js';
import { Icon } from './icon.js';

/** The browser needs seconds to lay out a longer text. */
const MOST_SHOWN = 20_000;

interface CodeFrameProps {
  readonly text: string;
  /** The name of the text, for labels: `payload`. */
  readonly what: string;
  readonly label?: string;
  /** The name of the downloaded file. */
  readonly file: string;
  /** Shows the text, or its beginning if it is long. */
  readonly children: (shown: string) => ComponentChildren;
}

/** A frame around code, with its size and buttons above: they cover no text. */
export function CodeFrame({ text, what, label = what, file, children }: CodeFrameProps) {
  const [isWrapped, wrap] = useState(true);
  const [isWhole, showWhole] = useState(false);
  const bytes = useMemo(() => new TextEncoder().encode(text).length, [text]);
  const isCut = !isWhole && text.length > MOST_SHOWN;
  const content = useMemo(() => children(isCut ? text.slice(0, MOST_SHOWN) : text), [text, isCut]);
  return (
    <div class="code-frame">
      <div class="code-tools">
        <span class="quiet number">{formatBytes(bytes)}</span>
        <button type="button" class="button-plain" aria-pressed={isWrapped} onClick={() => wrap(!isWrapped)}>
          Wrap<span class="unseen"> lines of the {label}</span>
        </button>
        <button
          type="button"
          class="button-plain"
          aria-label={`Download the ${label}`}
          title={`Download the ${label}`}
          onClick={() => download(text, file)}
        >
          <Icon name="download" />
        </button>
        <CopyButton text={text} what={what} />
      </div>
      <pre tabIndex={0} class={isWrapped ? 'is-wrapped' : undefined} aria-label={label}>
        {content}
      </pre>
      {isCut && (
        <p class="code-cut quiet">
          The first {formatNumber(MOST_SHOWN)} of {formatNumber(text.length)} characters.{' '}
          <button type="button" class="button-link" onClick={() => showWhole(true)}>
            Show all<span class="unseen"> of the {label}</span>
          </button>
        </p>
      )}
    </div>
  );
}

function download(text: string, file: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text]));
  link.download = file;
  link.click();
  // The browser has taken the content by then.
  setTimeout(() => URL.revokeObjectURL(link.href));
}
