import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import type { Metrics, Task } from './task.js';

/** The process that does the tasks every subject has. */
export const CLIENT = fileURLToPath(new URL('main.js', import.meta.url));
/** A task that takes longer than this hangs, in ms. */
const PATIENCE = 900_000;

/**
 * Does a task in a process of its own.
 *
 * @param node the Node.js to run it with.
 * @param program what to run.
 * @throws when the process fails, with what it has printed.
 */
export async function runProcess(node: string, program: string, task: Task): Promise<Metrics> {
  const child = spawn(node, ['--enable-source-maps', program], {
    env: { ...process.env, NODE_ENV: 'production', TASK: JSON.stringify(task) },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const killAtExit = () => child.kill('SIGKILL');
  process.on('exit', killAtExit);
  const timer = setTimeout(killAtExit, PATIENCE);
  let output = '';
  let metrics: Metrics | undefined;
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.on('message', (message) => (metrics = message as Metrics));
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(timer);
  process.off('exit', killAtExit);
  if (code !== 0 || metrics === undefined) {
    throw new Error(`The task "${task.task}" of ${task.module} ended with ${code}:\n${output.slice(-2000)}`);
  }
  return metrics;
}
