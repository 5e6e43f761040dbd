interface JsonFieldProps {
  readonly label: string;
  readonly text: string;
  readonly rows?: number;
  readonly change: (text: string) => void;
}

/** A field for JSON. It marks a text that is none. */
export const JsonField = ({ label, text, rows = 8, change }: JsonFieldProps) => (
  <label class="field">
    <span>{label}</span>
    <textarea
      rows={rows}
      value={text}
      spellcheck={false}
      aria-invalid={parseJson(text) === undefined}
      onInput={({ currentTarget }) => change(currentTarget.value)}
    />
  </label>
);

/** Returns the value, or none for an empty text; undefined for a text that is not JSON. */
export function parseJson(text: string): { readonly value?: unknown } | undefined {
  if (text.trim() === '') {
    return {};
  }
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
