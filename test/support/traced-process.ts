import { ChildProcess } from './child-process.js';
import type { TestDatabase } from './database.js';

const PROGRAM = new URL('../dist/processes/traced.js', import.meta.url);

/** A span of another process. */
export interface TracedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly id: string;
  readonly parent: string | undefined;
}

/** Runs a process that enqueues, or works, until it ends, and returns its spans. */
export async function spansOf(role: 'enqueue' | 'work', { engine, url }: TestDatabase): Promise<TracedSpan[]> {
  const child = ChildProcess.start(PROGRAM, { ENGINE: engine, URL: url, ROLE: role });
  const spans = (await child.nextMessage()) as TracedSpan[];
  await child.ended();
  return spans;
}
