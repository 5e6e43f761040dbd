import { formatNumber, formatShare } from '../format/numbers.js';

/** How much of a value that is no number stands in a line; all of it is on the job's page. */
const MOST_SHOWN = 60;

/** Progress as a job tells it: a bar from 0 to 1, and of anything else what there is in a line. */
export const Progress = ({ of }: { readonly of: unknown }) =>
  typeof of === 'number' && of >= 0 && of <= 1 ? (
    <span class="progress">
      <progress max={1} value={of} aria-label="Progress" />
      <span class="number">{formatShare(of)}</span>
    </span>
  ) : (
    <span class="progress progress-text">{typeof of === 'number' ? formatNumber(of) : inLine(of)}</span>
  );

/** `{ page: 3, pages: 12 }` is "page 3, pages 12". */
function inLine(value: unknown): string {
  const parts =
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value).map(([name, part]) => `${name} ${inWords(part)}`)
      : [inWords(value)];
  const line = parts.join(', ');
  return line.length > MOST_SHOWN ? `${line.slice(0, MOST_SHOWN)} …` : line;
}

const inWords = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
