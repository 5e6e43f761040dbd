import type { Series } from '../contract.js';

const SPANS = [
  ['hour', 'Last hour'],
  ['day', 'Last day'],
] as const;

interface SpanChoiceProps {
  readonly span: Series['span'];
  readonly choose: (span: Series['span']) => void;
}

export function SpanChoice({ span, choose }: SpanChoiceProps) {
  return (
    <div class="segments" role="group" aria-label="Span of the charts">
      {SPANS.map(([value, name]) => (
        <button key={value} type="button" aria-pressed={span === value} onClick={() => choose(value)}>
          {name}
        </button>
      ))}
    </div>
  );
}
