/** What ended in one bucket of time. */
export interface SeriesPoint {
  /** When the bucket begins. */
  readonly at: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly retried: number;
  /** From due to start: the mean; null without jobs. */
  readonly latencyMean: number | null;
  /** The highest; null without jobs. */
  readonly latencyMax: number | null;
  /** From start to end: the mean; null without jobs. */
  readonly runMean: number | null;
}

/** `GET api/series?span=hour|day[&queue=]`: the last hour in 60 buckets of 1 min, or the last day in 96 of 15 min. */
export interface Series {
  readonly span: 'hour' | 'day';
  /** How long a bucket is. */
  readonly bucket: number;
  readonly takenAt: number;
  readonly points: readonly SeriesPoint[];
}
