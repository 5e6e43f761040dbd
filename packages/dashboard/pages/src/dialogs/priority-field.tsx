interface PriorityFieldProps {
  readonly value: number | undefined;
  readonly change: (value: number | undefined) => void;
}

export const PriorityField = ({ value, change }: PriorityFieldProps) => (
  <label class="field">
    <span>Priority</span>
    <input
      type="number"
      min="-500"
      max="500"
      step="1"
      required
      value={value ?? ''}
      onInput={({ currentTarget }) => change(currentTarget.value === '' ? undefined : currentTarget.valueAsNumber)}
    />
  </label>
);
