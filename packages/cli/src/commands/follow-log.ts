import { setTimeout as sleep } from 'node:timers/promises';

import type { JobLogLine, TableQueue } from '@tablequeue/typeorm';
import { isLive } from '@tablequeue/typeorm/internal';

import type { Context } from '../context.js';
import type { Output, Style } from '../terminal/output.js';
import { timeOf } from '../terminal/words.js';

/** How often new lines are read, in ms: workers store them about once a second. */
const INTERVAL = 500;
const PAGE = 1_000;

const STYLES: Readonly<Record<JobLogLine['level'], Style>> = {
  debug: 'dim',
  info: 'cyan',
  warn: 'yellow',
  error: 'red',
};

/** Prints the log of a job and its new lines, until the job has ended or the process is interrupted. */
export async function followLog(queue: TableQueue, id: string, isJson: boolean, { output }: Context): Promise<void> {
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt).once('SIGHUP', interrupt);
  let after: JobLogLine | undefined;
  // Their numbers grow while an attempt runs.
  const marks = new Map<number, JobLogLine>();
  try {
    while (!interrupted.signal.aborted) {
      // Before the lines: those of a job that has ended are all stored.
      const job = await queue.find(id);
      let lines: readonly JobLogLine[];
      do {
        lines = await queue.jobs.logs(id, { after, limit: PAGE });
        for (const line of lines) {
          if (line.dropped > 0) {
            marks.set(line.attempt, line);
          } else {
            print(output, line, isJson);
          }
        }
        after = lines.at(-1) ?? after;
      } while (lines.length === PAGE);
      if (!job || !isLive(job.state)) {
        break;
      }
      await sleep(INTERVAL, undefined, { signal: interrupted.signal }).catch(() => undefined);
    }
    for (const mark of marks.values()) {
      const before = { attempt: mark.attempt, seq: mark.seq - 1 };
      const [now = mark] = await queue.jobs.logs(id, { after: before, limit: 1 });
      print(output, now.dropped > 0 ? now : mark, isJson);
    }
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt).off('SIGHUP', interrupt);
  }
}

function print(output: Output, line: JobLogLine, isJson: boolean): void {
  if (isJson) {
    output.json(line, true);
    return;
  }
  const { loggedAt, attempt, level, message, fields } = line;
  const values = fields === undefined ? '' : ` ${JSON.stringify(fields)}`;
  output.print(
    `${output.style('dim', `${timeOf(loggedAt.getTime())} ${attempt}`)} ${output.style(STYLES[level], level)} ` +
      `${message.replaceAll('\n', '\n  ')}${output.style('dim', values)}`,
  );
}
