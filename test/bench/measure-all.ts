import { CLIENT, runProcess } from './client/client.js';
import type { Counts, Metrics, Task } from './client/task.js';
import type { Grounds } from './grounds.js';
import { nodeFor } from './peers.js';
import { type Plan, isMeasuredOf, isTablequeue } from './plan.js';
import { Results } from './results.js';
import type { SubjectPlan } from './subject-plan.js';

const MEASUREMENT = new URL('measurements/main.js', import.meta.url);
/** What is measured of all subjects at once: of workers that hardly do anything. All else has the machine alone. */
const TOGETHER = new Set(['idle-statements', 'remote-latency']);

/** How long a quick run checks whether servers are idle, in ms. */
const QUICK_LOOK = 250;
/** The shortest wait that is logged, in ms. */
const WORTH_SAYING = 2_000;

type Log = (message: string) => void;

/**
 * Measures every subject in every round: the subjects take turns, so that changes on the machine over time affect all
 * of them. Every second round is in reverse order, so that none always comes behind the same. Each begins when no
 * server is still busy with the subject before. The one-time measurements come last.
 *
 * @param keep called with what has been measured so far, each time that there is more: a run takes more than an hour.
 */
export async function measureAll(
  plan: Plan,
  grounds: Grounds,
  log: Log,
  keep: (results: Results) => void,
): Promise<Results> {
  const results = new Results();
  const add = (subject: SubjectPlan, metrics: Metrics) => {
    results.add(subject.name, metrics);
    keep(results);
  };
  const places = new Map<SubjectPlan, Awaited<ReturnType<Grounds['place']>>>();
  for (const subject of plan.subjects) {
    places.set(subject, await grounds.place(subject.ground));
  }
  const rest = async () => {
    const took = await grounds.rest(plan.isQuick ? QUICK_LOOK : undefined);
    if (took === Infinity) {
      log('the servers do not come to rest');
    } else if (took > WORTH_SAYING) {
      log(`the servers have come to rest after ${(took / 1000).toFixed(1)} s`);
    }
  };
  const taskOf = (subject: SubjectPlan, task: string, counts: Counts): Task => ({
    task,
    module: subject.module,
    ground: subject.ground,
    counts,
    ...(places.get(subject) as Awaited<ReturnType<Grounds['place']>>),
  });

  for (let round = 1; round <= plan.rounds; round++) {
    for (const subject of round % 2 === 1 ? plan.subjects : plan.subjects.toReversed()) {
      log(`round ${round} of ${plan.rounds}: ${subject.name}`);
      for (const task of plan.tasks) {
        if (subject.tasks.includes(task) && (task !== 'latency' || hasLatency(subject, plan))) {
          const counts = scaled(plan.counts, subject.share);
          await rest();
          add(subject, await runProcess(nodeFor(subject.node), CLIENT, taskOf(subject, task, counts)));
        }
      }
    }
  }

  /** @param subjects what is measured at the same time. */
  const measureOnce = async (task: string, subjects: readonly SubjectPlan[]) => {
    await rest();
    const measuring = subjects.map(async (subject) => {
      log(`${subject.name}: ${task}`);
      add(subject, await runProcess(process.execPath, MEASUREMENT, taskOf(subject, task, plan.counts)));
    });
    await Promise.all(measuring);
  };
  const longDrain = async (subject: SubjectPlan) => {
    log(`${subject.name}: long drain`);
    const counts = { ...plan.counts, drain: plan.longDrain };
    await runProcess(process.execPath, CLIENT, taskOf(subject, 'fill', counts));
    await rest();
    const metrics = await runProcess(process.execPath, CLIENT, taskOf(subject, 'drain', counts));
    const renamed = Object.entries(metrics).map(([metric, value]) => [`long ${metric}`, value]);
    add(subject, Object.fromEntries(renamed) as Metrics);
  };
  for (const task of plan.measurements) {
    const subjects = plan.subjects.filter((subject) => isMeasuredOf(subject, task, plan.isQuick));
    if (TOGETHER.has(task)) {
      await measureOnce(task, subjects);
    } else {
      for (const subject of subjects) {
        await (task === 'long-drain' ? longDrain(subject) : measureOnce(task, [subject]));
      }
    }
  }
  return results;
}

function hasLatency(subject: SubjectPlan, { everyLatency }: Plan): boolean {
  return isTablequeue(subject) || everyLatency;
}

function scaled(counts: Counts, share: number): Counts {
  const { bulk, inFlight, sequential, drain, latency, stepJobs } = counts;
  const part = (jobs: number) => Math.max(100, Math.round(jobs * share));
  return {
    ...counts,
    bulk: part(bulk),
    inFlight: part(inFlight),
    sequential: part(sequential),
    drain: part(drain),
    latency: part(latency),
    stepJobs: part(stepJobs),
  };
}
