/* A client process of the bench: does one task and tells what it measured. */
import { pathToFileURL } from 'node:url';

import type { Subject, SubjectModule } from '../subject.js';
import { drain, fill } from './drain.js';
import { enqueue } from './enqueue.js';
import { latency } from './latency.js';
import type { Metrics, Task } from './task.js';

const TASKS = new Map<string, (subject: Subject, task: Task) => Promise<Metrics>>([
  ['enqueue', enqueue],
  ['fill', fill],
  ['drain', drain],
  ['latency', latency],
]);

const task = JSON.parse(process.env.TASK ?? '') as Task;
const module = (await import(pathToFileURL(task.module).href)) as SubjectModule;
const subject = await module.open(task.url, task.setting);
const metrics = await TASKS.get(task.task)?.(subject, task);
await subject.close();
process.send?.(metrics);
