import { expect } from '@jest/globals';
import { type GroupIds, type GroupOptions, jobGroup } from '@tablequeue/typeorm';
import * as fc from 'fast-check';

import { CALLBACKS, type Callback } from '../model-group.js';
import { machineJob } from '../machine-job.js';
import { type ModelJob, UNIT, type Wanted } from '../model-job.js';
import type { Model } from '../model.js';
import { command, transaction, wanted } from './command.js';

/** A group to be enqueued; a member may be one, too. */
interface Given {
  readonly members: readonly (Omit<Wanted, 'payload'> | Given)[];
  readonly callbacks: readonly Callback[];
  /** What each callback is like. */
  readonly callback: Pick<Wanted, 'priority' | 'key' | 'tenant'>;
}

const { payload: _payload, ...job } = wanted;
const { delay: _delay, ...callback } = job;
const inner: fc.Arbitrary<Given> = fc.record({
  members: fc.array(fc.record(job), { minLength: 1, maxLength: 2 }),
  // One of these represents it in the group around it.
  callbacks: fc.constantFrom<Callback[]>(['onSuccess'], ['onComplete', 'onFailure'], [...CALLBACKS]),
  callback: fc.record(callback),
});
const outer: fc.Arbitrary<Given> = fc.record({
  members: fc.array(fc.oneof({ weight: 3, arbitrary: fc.record(job) }, { weight: 1, arbitrary: inner }), {
    minLength: 1,
    maxLength: 3,
  }),
  callbacks: fc.subarray([...CALLBACKS], { minLength: 1 }),
  callback: fc.record(callback),
});

export const enqueueGroup = command('enqueueGroup', fc.record({ group: outer, transaction }), {
  async act(model, machine, { group, transaction }) {
    const numbered = number(group, model);
    const enqueued = await machine.within(transaction, (options) => {
      return machine.queue.groups.enqueue(optionsOf(numbered), options);
    });
    const { id, jobs, ...callbacks } = enqueued;
    expect({ id, jobs: jobs.map((job) => job.id) }).toEqual(numbered.ids);
    if (transaction !== 'rollback') {
      add(numbered, model, await machine.idsByPayload());
      expect(callbacks).toEqual(model.groups.all.at(-1)!.callbacks);
    }
  },
});

/** A group each of whose jobs has a payload of its own, by which it is found again. */
interface Numbered {
  readonly members: readonly (Wanted | Numbered)[];
  readonly callbacks: Readonly<Partial<Record<Callback, Wanted>>>;
  /** The ids that its callbacks received, when it was enqueued. */
  ids?: GroupIds;
}

function number({ members, callbacks, callback }: Given, model: Model): Numbered {
  const withNumber = (rest: Omit<Wanted, 'payload'>): Wanted => ({ ...rest, payload: model.nextNumber() });
  return {
    members: members.map((member) => ('members' in member ? number(member, model) : withNumber(member))),
    callbacks: Object.fromEntries(callbacks.map((name) => [name, withNumber({ ...callback, delay: 0 })])),
  };
}

function optionsOf(group: Numbered): GroupOptions<number[], number, number, number> {
  const members = group.members.map((member) => {
    if ('members' in member) {
      return jobGroup(optionsOf(member));
    }
    return { definition: machineJob, ...member, delay: member.delay * UNIT };
  });
  const callbacks = Object.entries(group.callbacks).map(([name, { delay: _delay, payload, ...rest }]) => {
    const payloadOf = (ids: GroupIds) => {
      group.ids = ids;
      return payload;
    };
    return [name, { definition: machineJob, ...rest, payload: payloadOf }];
  });
  return { jobs: members, ...Object.fromEntries(callbacks) };
}

/** @returns the job that represents the group in the one around it. */
function add({ members, callbacks, ids }: Numbered, model: Model, byPayload: ReadonlyMap<number, string>): ModelJob {
  const jobOf = (job: Wanted, waits: boolean) => model.add(byPayload.get(job.payload)!, job, waits);
  const jobs = members.map((member) => ('members' in member ? add(member, model, byPayload) : jobOf(member, false)));
  expect(ids!.jobs).toEqual(jobs.map(({ id }) => id));
  const waiting = new Map(Object.entries(callbacks).map(([name, job]) => [name, jobOf(job, true)]));
  model.groups.add(ids!.id, jobs, Object.fromEntries([...waiting].map(([name, { id }]) => [name, id])));
  return (waiting.get('onSuccess') ?? waiting.get('onComplete'))!;
}
