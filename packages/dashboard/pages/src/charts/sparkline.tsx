import { formatNumber } from '../format/numbers.js';

const WIDTH = 120;
const HEIGHT = 28;

/** A small area chart of the last hour, by minute. */
export function Sparkline({ values }: { readonly values: readonly number[] }) {
  const highest = Math.max(...values, 1);
  const x = (index: number) => ((index / Math.max(values.length - 1, 1)) * WIDTH).toFixed(1);
  const y = (value: number) => (HEIGHT - 2 - (value / highest) * (HEIGHT - 4)).toFixed(1);
  const line = values.map((value, index) => `${index === 0 ? 'M' : 'L'}${x(index)} ${y(value)}`).join('');
  return (
    <>
      <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <path class="spark-area" d={`${line}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}Z`} />
        <path class="spark-line" d={line} />
      </svg>
      <span class="unseen">, at most {formatNumber(Math.max(...values, 0))} a minute in the last hour</span>
    </>
  );
}
