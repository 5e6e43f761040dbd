import { useState } from 'preact/hooks';

import { visible } from '../format/visible.js';
import { Icon } from './icon.js';
import { notify } from './notices.js';

/** How long the button confirms the copy, in ms. */
const CONFIRMED_FOR = 2000;
/** The longest text that a message shows instead of the copy, in characters. */
const LONGEST_SHOWN = 200;

export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Denied by the user, or not over HTTPS.
      notify(
        `The browser did not allow the copy. ${text.length > LONGEST_SHOWN ? '' : `The ${what} is ${visible(text)}`}`,
      );
      return;
    }
    setCopied(true);
    notify(`Copied the ${what}.`);
    setTimeout(() => setCopied(false), CONFIRMED_FOR);
  };
  return (
    <button
      type="button"
      class="button-plain"
      aria-label={`Copy the ${what}`}
      title={`Copy the ${what}`}
      onClick={() => void copy()}
    >
      <Icon name={isCopied ? 'check' : 'copy'} />
    </button>
  );
}
