import { visible } from '../format/visible.js';
import { CodeFrame } from './code-frame.js';

const TOKEN = /("(?:\\.|[^"\\])*")(\s*:)?|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|true|false|null/gi;

/** Shows JSON with syntax colors. */
export function Json({ value, what }: { readonly value: unknown; readonly what: string }) {
  const text = JSON.stringify(value, null, 2) ?? 'undefined';
  return (
    <CodeFrame text={text} what={what} file={`${what}.json`}>
      {(shown) => highlighted(visible(shown))}
    </CodeFrame>
  );
}

function highlighted(text: string) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [token, quoted, colon] = match;
    parts.push(text.slice(end, match.index));
    parts.push(
      <span key={match.index} class={colon ? 'json-name' : quoted ? 'json-text' : 'json-value'}>
        {token}
      </span>,
    );
    end = match.index + token.length;
  }
  return [...parts, text.slice(end)];
}
