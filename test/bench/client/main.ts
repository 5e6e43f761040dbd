/* A client process of the bench: does one task and tells what it measured. */
import { pathToFileURL } from 'node:url';

import type { Subject, SubjectModule } from '../subject.js';
import { drain } from './drain.js';
import { enqueue } from './enqueue.js';
import { fill } from './fill.js';
import { latency } from './latency.js';
import type { Metrics, Task } from './task.js';

const TASKS = new Map<string, (subject: Subject, task: Task) => Promise<Metrics>>([
  ['enqueue', enqueue],
  ['fill', (subject, { counts }) => fill(subject, counts.drain).then(() => ({}))],
  ['drain', drain],
  ['latency', latency],
]);

const task = JSON.parse(process.env.TASK ?? '') as Task;
const module = (await import(pathToFileURL(task.module).href)) as SubjectModule;
const subject = await module.open(task.url, task.ground);
const metrics = await TASKS.get(task.task)?.(subject, task);
await subject.close();
process.send?.(metrics);
