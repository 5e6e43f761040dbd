import { pathToFileURL } from 'node:url';

import type { StepsModule } from '../steps-subject.js';
import { measure } from './measure.js';
import type { Metrics, Task } from './task.js';

const STEPS = 20;
const AT_A_TIME = 100;
/** The share of the steps of one job at a time. Each of them waits for a commit of its own. */
const ALONE = 0.1;

/** Durable steps: of 100 jobs at a time, and of one job at a time. */
export async function steps({ module, url, ground, counts, serverProcess }: Task): Promise<Metrics> {
  const library = (await import(pathToFileURL(module).href)) as StepsModule;
  const subject = await library.openSteps(url, ground);
  await subject.reset();
  // Connections are opened, and code is compiled.
  await subject.runSteps(AT_A_TIME, STEPS, AT_A_TIME);
  const many = await measure('steps', serverProcess, async () => {
    await subject.runSteps(counts.stepJobs, STEPS, AT_A_TIME);
    return counts.stepJobs * STEPS;
  });
  const one = await measure('steps of one job', serverProcess, async () => {
    const jobs = Math.ceil(counts.stepJobs * ALONE);
    await subject.runSteps(jobs, STEPS, 1);
    return jobs * STEPS;
  });
  await subject.close();
  return { ...many, ...one };
}
