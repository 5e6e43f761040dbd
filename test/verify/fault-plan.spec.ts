import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { InvalidOptionError, TableQueueError } from '@tablequeue/typeorm';
import { type Fault, Random, type FaultContext, UnknownFaultError, verify } from '@tablequeue/verify';
import { FaultPlan, InjectedFaults } from '@tablequeue/verify/internal';

import { waitFor } from '../support/wait-for.js';

const NAMES = ['one', 'two', 'three', 'four'];
/** A round of them, and the beginning of the next. */
const STRIKES = NAMES.length + 2;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tablequeue-fault-plan-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What strikes first with a seed: each fault's name, and what it draws. */
async function struckWith(seed: number): Promise<string[]> {
  const records = new InjectedFaults(join(folder, 'faults.jsonl'));
  const struck: string[] = [];
  const faults = NAMES.map((name): Fault => ({
    name,
    needs: ['processes'],
    allows: [],
    inject: async (scene, random) => {
      struck.push(`${name} ${random.whole(0, 1_000_000)}`);
      scene.record([`victim of ${name}`], '').end();
    },
  }));
  const sceneFor = ({ name }: Fault) =>
    ({ record: (hit, detail) => records.begin(name, [], hit, detail) }) as Partial<FaultContext> as FaultContext;
  const end = new AbortController();
  const plan = new FaultPlan(faults, sceneFor, records, new Random(seed), 1);
  const run = plan.run(end.signal);
  await waitFor('all have struck', () => struck.length >= STRIKES);
  end.abort();
  await run;
  expect(plan.troubles).toEqual([]);
  return struck.slice(0, STRIKES);
}

test('a seed repeats which faults strike, in which order and how; another one does not', async () => {
  const [once, again, other] = await Promise.all([struckWith(42), struckWith(42), struckWith(43)]);
  expect(again).toEqual(once);
  expect(other).not.toEqual(once);
  const round = once.slice(0, NAMES.length).map((each) => each.split(' ')[0]);
  expect(new Set(round)).toEqual(new Set(NAMES));
});

test('a fault that lasts throughout may do so for longer than healing may take, also by itself', async () => {
  const healing = 20;
  const records = new InjectedFaults(join(folder, 'faults.jsonl'));
  const end = new AbortController();
  const fault: Fault = {
    name: 'throughout',
    needs: ['processes'],
    allows: [],
    when: 'once',
    inject: async (_scene, _random, signal) => {
      const since = performance.now();
      await waitFor('healing would have been over', () => performance.now() - since > 10 * healing);
      end.abort();
      await waitFor('it is to heal', () => signal.aborted);
    },
  };
  const plan = new FaultPlan([fault], () => ({}) as FaultContext, records, new Random(1), 1, healing);
  await plan.run(end.signal);
  expect(plan.troubles).toEqual([]);
});

function inject(): Promise<void> {
  return Promise.resolve();
}

test.each([
  ['no-such-fault', UnknownFaultError],
  [null, InvalidOptionError],
  [42, InvalidOptionError],
  [{ name: 'half a fault', needs: [], allows: [] }, InvalidOptionError],
  [{ name: 'typo', needs: ['proxi'], allows: [], inject }, InvalidOptionError],
])('an entry of the faults that is none, %j, is refused by an error that names it', async (entry, refusal) => {
  const dataSourceOptions = { type: 'better-sqlite3', database: join(folder, 'never-opened.sqlite') } as const;
  const verified = verify({ dataSourceOptions, faults: ['kill-worker', entry as string] });
  const error: unknown = await verified.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(refusal);
  expect(error).toBeInstanceOf(TableQueueError);
  expect(String(error)).toContain(typeof entry === 'string' ? entry : 'faults[1]');
});
