import { expect, test } from '@jest/globals';
import { FaultProxy } from '@tablequeue/verify/internal';

import { StatementPaths } from '../support/boundaries/statement-paths.js';
import { OF_STEPS, boundaryHandlers, boundaryJobs, type BoundaryConfig } from '../support/boundaries/boundary-jobs.js';
import { ChildProcess } from '../support/child-process.js';
import { describeEach } from '../support/each-engine.js';
import { Note } from '../support/note.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const PROCESS = new URL('../dist/processes/boundary-worker.js', import.meta.url);
/** How many processes start at a time. */
const AT_A_TIME = 3;

/** Where a process is killed. */
interface Death {
  readonly path: string;
  readonly side: 'before' | 'after';
}

describeEach(
  'a worker process that is killed at each of its statements',
  (engine) => {
    const bench = useWorkbench(engine);
    let numbers = 0;

    const countRuns = async (job: number) => {
      const sql = 'SELECT COUNT(*) AS count FROM run WHERE job = ?';
      const [row] = (await bench.dataSource.query(sql, [job])) as { count: string }[];
      return Number(row!.count);
    };

    /** Starts a process that works on its own queue until it is killed or all jobs have ended. */
    async function work(death?: Death) {
      const queue = `q${++numbers}`;
      const definitions = boundaryJobs(queue);
      const proxy = new FaultProxy(new URL(bench.database.url));
      await proxy.open();
      const config: BoundaryConfig = { engine, url: proxy.url, queue };
      const child = ChildProcess.start(PROCESS, { CONFIG: JSON.stringify(config) });
      const seen: string[] = [];
      try {
        expect(await child.nextMessage()).toBe('started');
        const paths = new StatementPaths();
        let isDead = false;
        proxy.intercept((command) => {
          const path = paths.pathOf(command);
          if (path === undefined) {
            return undefined;
          }
          seen.push(path);
          if (isDead || path !== death?.path) {
            return undefined;
          }
          isDead = true;
          return {
            side: death.side,
            act: () => {
              child.signal('SIGKILL');
              command.connection.silence(death.side === 'before' ? 'both' : 'to client');
            },
          };
        });
        const ids: string[] = [];
        for (const definition of [definitions.plain, definitions.effect, definitions.durable]) {
          ids.push((await bench.queue.enqueue(definition)).id);
        }
        const areDone = async () => {
          const states = await Promise.all(ids.map(async (id) => (await bench.queue.find(id))?.state));
          return states.every((state) => state === 'succeeded');
        };
        await waitFor('it is killed, or done', async () => isDead || (await areDone()));
        return { queue, ids, seen, isDead };
      } finally {
        await child.end('SIGKILL');
        await proxy.close();
      }
    }

    test('every job ends, its crash is counted; effects exist once, and stored steps do not run again', async () => {
      const clean = await work();
      const deaths = [...new Set(clean.seen)].flatMap((path) =>
        (['before', 'after'] as const).map((side) => ({ path, side })),
      );
      expect(deaths.length).toBeGreaterThan(30);
      const left = [...deaths];
      const ended: (Awaited<ReturnType<typeof work>> & { death: Death })[] = [];
      const next = async () => {
        for (let death = left.shift(); death; death = left.shift()) {
          ended.push({ ...(await work(death)), death });
        }
      };
      await Promise.all(Array.from({ length: AT_A_TIME }, next));
      // A statement of a kind that depends on the moment may not have come again.
      expect(ended.filter(({ isDead }) => isDead).length).toBeGreaterThan(deaths.length * 0.8);

      const { reaper, retrier } = await bench.work(
        ended.flatMap(({ queue }) => boundaryHandlers(bench.queue, queue, 0)),
      );
      await waitFor(
        'nothing of them is live',
        async () => {
          await reaper.runOnce();
          await retrier.runOnce();
          return (await bench.liveJobs()).every(({ queue }) => queue.endsWith('-next'));
        },
        60_000,
      );
      for (const { queue, ids, death } of ended) {
        const [plain, effect, durable] = await Promise.all(ids.map((id) => bench.queue.find(id)));
        const number = Number(queue.slice(1));
        const runs = await countRuns(number);
        const label = `${death.side} ${death.path}`;
        expect([label, plain?.state, effect?.state, durable?.state]).toEqual([label, ...Array(3).fill('succeeded')]);
        const calls = await countRuns(number + OF_STEPS);
        // The crash may come between the call and its record.
        expect([label, calls >= 1 && calls <= 2, durable?.failures]).toEqual([label, true, 0]);
        const steps = await bench.queue.steps(durable!.id);
        expect([label, steps.map(({ name }) => name)]).toEqual([label, ['call', 'write', 'sleep', 'end']]);
        // One that failed, one that did not, and one that the crash has broken off.
        expect([label, runs >= 2 && runs <= 3]).toEqual([label, true]);
        expect([label, plain?.failures]).toEqual([label, 1]);
        expect([label, plain!.attempt >= runs && plain!.attempt <= 3]).toEqual([label, true]);
      }
      const notes = (await bench.rows(Note)).map(({ id }) => id).sort((a, b) => a - b);
      const numbered = [clean, ...ended].map(({ queue }) => Number(queue.slice(1)));
      expect(notes).toEqual([...numbered, ...numbered.map((number) => number + OF_STEPS)].sort((a, b) => a - b));
      const followers = (await bench.liveJobs()).map(({ queue }) => queue);
      expect(followers.sort()).toEqual([clean, ...ended].map(({ queue }) => `${queue}-next`).sort());
    }, 600_000);
  },
  ['mysql'],
);
