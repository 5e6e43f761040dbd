import { ChildProcess } from '../../support/child-process.js';
import type { Metrics, Task } from './task.js';

/** The process that does the tasks every subject has. */
export const CLIENT = new URL('main.js', import.meta.url);
/** A task that takes longer than this hangs, in ms. */
const PATIENCE = 900_000;

/**
 * Does a task in a process of its own.
 *
 * @param node the Node.js to run it with.
 * @param program what to run.
 * @throws when the process fails, with its output in the message.
 */
export async function runProcess(node: string, program: URL, task: Task): Promise<Metrics> {
  const child = ChildProcess.start(program, { NODE_ENV: 'production', TASK: JSON.stringify(task) }, node);
  const timer = setTimeout(() => child.signal('SIGKILL'), PATIENCE);
  let metrics: Metrics | undefined;
  child.onMessage((message) => (metrics = message as Metrics));
  try {
    await child.ended();
  } catch (cause) {
    throw new Error(`The task "${task.task}" of ${task.module} has failed.`, { cause });
  } finally {
    clearTimeout(timer);
  }
  if (metrics === undefined) {
    throw new Error(`The task "${task.task}" of ${task.module} reported nothing:\n${child.output}`);
  }
  return metrics;
}
