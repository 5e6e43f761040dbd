import { fromField, toField } from '../format/times.js';

interface MomentFieldProps {
  readonly label: string;
  /** In ms since 1970. */
  readonly at: number | undefined;
  readonly change: (at: number | undefined) => void;
}

/** A date and time, to the minute, in the time zone of the user. */
export const MomentField = ({ label, at, change }: MomentFieldProps) => (
  <label class="field field-moment">
    <span>{label}</span>
    <input
      type="datetime-local"
      value={at === undefined ? '' : toField(at)}
      onChange={({ currentTarget }) => {
        const text = fromField(currentTarget.value);
        change(text === undefined ? undefined : Number(text));
      }}
    />
  </label>
);
