import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

import type { VerifyProcess } from '../processes/verify-process.js';
import type { Random } from '../random.js';
import { sleepUnlessAborted } from '../timing.js';
import type { FaultContext } from './fault-context.js';
import type { Allowance, Fault } from './fault.js';

/** A fault of one process. Nothing is injected if no process is free of faults. */
function processFault(
  name: string,
  role: VerifyProcess['role'],
  allows: readonly Allowance[],
  inject: (victim: VerifyProcess, context: FaultContext, random: Random, signal: AbortSignal) => Promise<void>,
): Fault {
  return {
    name,
    needs: ['processes'],
    allows,
    async inject(context, random, signal) {
      const victim = context.pickProcess(role, random);
      if (victim) {
        await inject(victim, context, random, signal);
      }
    },
  };
}

function kill(role: VerifyProcess['role']): Fault {
  return processFault(`kill-${role}`, role, ['rerun', 'delay'], async (victim, context) => {
    const active = context.begin([victim.name], 'SIGKILL');
    victim.signal('SIGKILL');
    await victim.ended;
    active.end();
  });
}

/** Kills a worker at any moment. The pool replaces it. */
export const killWorker = kill('worker');

/** Kills a producer at any moment, also between a statement and its COMMIT. */
export const killProducer = kill('producer');

/** How many leases it lasts: long enough that other workers take over the jobs. */
const LEASES = { least: 1.5, most: 2 } as const;
/** How long after the end of the fault a stopped process continues if verify has died meanwhile, in ms. */
const RESCUE_DELAY = 60_000;

/**
 * Stops a worker in the middle of its handlers for longer than its lease, and lets it continue. Its jobs run on other
 * workers by then, so its later changes to them must be rejected.
 */
export const stopProcess = processFault(
  'stop-worker',
  'worker',
  ['rerun', 'delay'],
  async (victim, context, random, signal) => {
    const length = Math.round(context.lease * (LEASES.least + random.next() * (LEASES.most - LEASES.least)));
    await stopDuring(context, victim, `for ${length} ms`, length, () => sleepUnlessAborted(length, signal));
  },
);

/**
 * Stops a process, waits, and lets it continue.
 *
 * @param howLong for people.
 * @param longest how long the wait takes at most, in ms.
 */
export async function stopDuring(
  context: FaultContext,
  victim: VerifyProcess,
  howLong: string,
  longest: number,
  wait: () => Promise<unknown>,
): Promise<void> {
  const active = context.begin([victim.name], `SIGSTOP ${howLong}`);
  // A stopped process does not notice the death of its parent.
  const program = `setTimeout(() => process.kill(${victim.pid}, 'SIGCONT'), ${RESCUE_DELAY + longest})`;
  const rescue = spawn(process.execPath, ['--eval', program], { stdio: 'ignore', detached: true });
  rescue.unref();
  victim.signal('SIGSTOP');
  try {
    await wait();
  } finally {
    victim.signal('SIGCONT');
    rescue.kill('SIGKILL');
    active.end();
  }
}

/** Blocks the event loop of a worker for longer than its lease, as a handler does that computes without `await`. */
export const blockEventLoop = processFault(
  'block-event-loop',
  'worker',
  ['rerun', 'delay'],
  async (victim, context, random) => {
    const ms = Math.round(context.lease * (1.2 + 0.5 * random.next()));
    const active = context.begin([victim.name], `its event loop is blocked for ${ms} ms`);
    victim.send({ type: 'block', ms });
    // A blocked process receives no message that could end it early.
    await Promise.race([sleep(ms), victim.ended]);
    active.end();
  },
);

/** How far the clock is off, in hours. */
const HOURS = [-26, -3, 3, 26] as const;
const SHIFT = new URL('../../dist/processes/shift-date.js', import.meta.url);

/**
 * Stops a worker in order and replaces it by one whose clock is hours off. This has no visible effect: a worker that
 * stops completes or returns its jobs, and only the clock of the database counts.
 */
export const wrongClock = processFault('wrong-clock', 'worker', [], async (victim, context, random) => {
  const hours = random.pick(HOURS);
  const shift = new URL(SHIFT);
  shift.searchParams.set('hours', String(hours));
  const active = context.begin([victim.name], `is replaced by a worker whose clock is ${hours} h off`);
  await context.processes.replace(victim, [shift.href]);
  active.end();
});
