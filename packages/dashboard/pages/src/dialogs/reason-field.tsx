/** The longest reason that the server accepts, in characters. */
const LONGEST_REASON = 500;

interface ReasonFieldProps {
  readonly value: string;
  readonly change: (value: string) => void;
}

export const ReasonField = ({ value, change }: ReasonFieldProps) => (
  <label class="field">
    <span>Reason, for the audit log; may be empty</span>
    <input
      type="text"
      maxLength={LONGEST_REASON}
      autoComplete="off"
      value={value}
      onInput={({ currentTarget }) => change(currentTarget.value)}
    />
  </label>
);

/** The reason of a request: left out if it is empty. */
export function reasonOf(text: string): { readonly reason?: string } {
  const reason = text.trim();
  return reason === '' ? {} : { reason };
}
