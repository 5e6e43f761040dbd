import { formatShare } from '../format/numbers.js';

/** Progress as a job tells it: from 0 to 1. */
export const Progress = ({ of }: { readonly of: number }) => (
  <span class="progress">
    <progress max={1} value={of} aria-label="Progress" />
    <span class="number">{formatShare(of)}</span>
  </span>
);
