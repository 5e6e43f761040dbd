import { useState } from 'preact/hooks';

import { Icon } from './icon.js';
import { tell } from './notices.js';

const CONFIRMED_FOR = 2000;

export function Copy({ text, what }: { readonly text: string; readonly what: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Not allowed, or not over HTTPS.
      tell(`The browser does not let pages copy here. The ${what} is ${text}`);
      return;
    }
    setCopied(true);
    tell(`Copied the ${what}.`);
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
