import type { Evidence, JobEvidence } from '../evidence/evidence.js';

/** A span of time in which a job certainly ran. */
export interface Span {
  readonly job: JobEvidence;
  readonly process: string;
  readonly from: number;
  readonly to: number;
}

/** The spans of time in which jobs certainly ran and counted, in the order of their beginnings. */
export function certainSpans(evidence: Evidence, belongs: (job: JobEvidence) => boolean): Span[] {
  return (
    [...evidence.all.jobs.values()]
      .filter(belongs)
      .flatMap((job) =>
        job.calls.map((run) => ({ job, process: run.process, from: run.from, to: evidence.certainEnd(job, run) })),
      )
      // A run that a fault had hit before it began, or that others had taken over, counts for nothing.
      .filter(({ from, to }) => from < to)
      .sort((a, b) => a.from - b.from)
  );
}

/** Where more than so many spans overlap, those that did: once for each span that begins when there are too many. */
export function crowds(spans: readonly Span[], most: number): Span[][] {
  let open: Span[] = [];
  const found: Span[][] = [];
  for (const span of spans) {
    open = open.filter(({ to }) => to > span.from);
    open.push(span);
    if (open.length > most) {
      found.push([...open]);
    }
  }
  return found;
}
