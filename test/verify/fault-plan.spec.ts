import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { InvalidOptionError, TableQueueError } from '@tablequeue/typeorm';
import { FAULTS, type Fault, Random, type FaultContext, UnknownFaultError, verify } from '@tablequeue/verify';
import { FaultPlan, InjectedFaults } from '@tablequeue/verify/internal';

import { waitFor } from '../support/wait-for.js';

const NAMES = ['one', 'two', 'three', 'four'];
/** One round of all faults, and the start of the next. */
const INJECTIONS = NAMES.length + 2;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tablequeue-fault-plan-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Contexts in which faults do nothing but begin. */
function contextsOf(injected: InjectedFaults) {
  return ({ name }: Fault) =>
    ({ begin: (target, detail) => injected.begin(name, [], target, detail) }) as Partial<FaultContext> as FaultContext;
}

/** Returns the first faults with a seed: each name, and the number that it draws. */
async function injectedWith(seed: number): Promise<string[]> {
  const injected = new InjectedFaults(join(folder, 'faults.jsonl'));
  const names: string[] = [];
  const faults = NAMES.map((name): Fault => ({
    name,
    needs: ['processes'],
    allows: [],
    inject: async (context, random) => {
      names.push(`${name} ${random.integer(0, 1_000_000)}`);
      context.begin([`victim of ${name}`], '').end();
    },
  }));
  const end = new AbortController();
  const plan = new FaultPlan(faults, contextsOf(injected), injected, new Random(seed), 1);
  const run = plan.run(end.signal);
  await waitFor('all faults are injected', () => names.length >= INJECTIONS);
  end.abort();
  await run;
  expect(plan.problems).toEqual([]);
  return names.slice(0, INJECTIONS);
}

test('a seed repeats the faults, their order and their random numbers; another seed does not', async () => {
  const [once, again, other] = await Promise.all([injectedWith(42), injectedWith(42), injectedWith(43)]);
  expect(again).toEqual(once);
  expect(other).not.toEqual(once);
  const round = once.slice(0, NAMES.length).map((each) => each.split(' ')[0]);
  expect(new Set(round)).toEqual(new Set(NAMES));
});

test('a fault with `when: once` may last longer than the recovery timeout, also if it is the only one', async () => {
  const recoveryTimeout = 20;
  const injected = new InjectedFaults(join(folder, 'faults.jsonl'));
  const end = new AbortController();
  const fault: Fault = {
    name: 'throughout',
    needs: ['processes'],
    allows: [],
    when: 'once',
    inject: async (_context, _random, signal) => {
      const since = performance.now();
      await waitFor('the recovery timeout has passed', () => performance.now() - since > 10 * recoveryTimeout);
      end.abort();
      await waitFor('the signal is aborted', () => signal.aborted);
    },
  };
  const plan = new FaultPlan([fault], () => ({}) as FaultContext, injected, new Random(1), 1, recoveryTimeout);
  await plan.run(end.signal);
  expect(plan.problems).toEqual([]);
});

test('a fault that cannot connect while the server is away is tried again, after the others', async () => {
  const injected = new InjectedFaults(join(folder, 'faults.jsonl'));
  const names: string[] = [];
  const end = new AbortController();
  const faultOf = (name: string, needs: Fault['needs'], isRefused: () => boolean): Fault => ({
    name,
    needs,
    allows: [],
    inject: async (context) => {
      names.push(name);
      if (isRefused()) {
        throw new Error('refused');
      }
      const active = context.begin('everyone', '');
      if (name !== 'kill') {
        active.end();
      }
    },
  });
  const faults = [
    faultOf('kill', ['server'], () => false),
    faultOf('lock', ['connection'], () => names.filter((name) => name === 'lock').length === 1),
    faultOf('pause', ['processes'], () => false),
  ];
  // With this seed the server is hit first.
  const plan = new FaultPlan(faults, contextsOf(injected), injected, new Random(1), 1);
  const run = plan.run(end.signal);
  await waitFor('it is injected', () => injected.all.some(({ fault }) => fault === 'lock'));
  end.abort();
  await run;
  expect(names).toEqual(['kill', 'lock', 'pause', 'lock']);
  expect(plan.problems).toEqual([]);
});

test('limits that cannot be set again end their fault with the error', async () => {
  const away = { query: () => Promise.reject(new Error('away')), destroy: () => Promise.resolve() };
  const context = {
    connect: () => Promise.resolve(away),
    begin: () => ({ end: () => undefined }),
    tables: { prefix: 'tqv_' },
    processes: { producers: ['producer'] },
    lease: 1,
  } as unknown as FaultContext;
  const truncate = FAULTS.find(({ name }) => name === 'truncate-tables')!;
  await expect(truncate.inject(context, new Random(1), new AbortController().signal)).rejects.toThrow(
    InvalidOptionError,
  );
});

function inject(): Promise<void> {
  return Promise.resolve();
}

test.each([
  ['no-such-fault', UnknownFaultError],
  [null, InvalidOptionError],
  [42, InvalidOptionError],
  [{ name: 'incomplete', needs: [], allows: [] }, InvalidOptionError],
  [{ name: 'typo', needs: ['proxi'], allows: [], inject }, InvalidOptionError],
])('the invalid fault %j is rejected with an error that names it', async (entry, expectedError) => {
  const dataSourceOptions = { type: 'better-sqlite3', database: join(folder, 'never-opened.sqlite') } as const;
  const verified = verify({ dataSourceOptions, faults: ['kill-worker', entry as string] });
  const error: unknown = await verified.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(expectedError);
  expect(error).toBeInstanceOf(TableQueueError);
  expect(String(error)).toContain(typeof entry === 'string' ? entry : 'faults[1]');
});
