import { formatNumber, formatShare } from '../format/numbers.js';
import { visible } from '../format/visible.js';

/** The length of a value that is not a number, in characters. The page of the job shows all of it. */
const MOST_SHOWN = 60;

/** Shows the progress that a handler reported: a bar for 0 to 1, and a line of text for anything else. */
export const Progress = ({ of }: { readonly of: unknown }) =>
  typeof of === 'number' && of >= 0 && of <= 1 ? (
    <span class="progress">
      <progress max={1} value={of} aria-label="Progress" />
      <span class="number">{formatShare(of)}</span>
    </span>
  ) : (
    <span class="progress progress-text">{typeof of === 'number' ? formatNumber(of) : toLine(of)}</span>
  );

/** Formats `{ page: 3, pages: 12 }` as "page 3, pages 12". */
function toLine(value: unknown): string {
  const parts =
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value).map(([name, each]) => `${name} ${toText(each)}`)
      : [toText(value)];
  const line = parts.join(', ');
  return visible(line.length > MOST_SHOWN ? `${line.slice(0, MOST_SHOWN)} …` : line);
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
