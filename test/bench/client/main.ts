/* A client process of the bench: runs one task and reports the measurements. */
import type { Subject } from '../subject.js';
import { drain } from './drain.js';
import { enqueue } from './enqueue.js';
import { fill } from './fill.js';
import { latency } from './latency.js';
import { openSubject } from './open-subject.js';
import { steps } from './steps.js';
import type { Metrics, Task } from './task.js';

const TASKS = new Map<string, (subject: Subject, task: Task) => Promise<Metrics>>([
  ['enqueue', enqueue],
  ['fill', (subject, { counts }) => fill(subject, counts.drain).then(() => ({}))],
  ['drain', drain],
  ['latency', latency],
]);

const task = JSON.parse(process.env.TASK ?? '') as Task;
process.send?.(task.task === 'steps' ? await steps(task) : await measureSubject());

async function measureSubject(): Promise<Metrics | undefined> {
  const subject = await openSubject(task);
  const metrics = await TASKS.get(task.task)?.(subject, task);
  await subject.close();
  return metrics;
}
