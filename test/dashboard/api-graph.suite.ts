import { expect, test } from '@jest/globals';
import type { GraphNode, JobGraph, MemberPage } from '@tablequeue/dashboard';
import { jobGroup } from '@tablequeue/typeorm';
import { executeRead, findGraph, uuidToBytes } from '@tablequeue/typeorm/internal';
import { DataSource } from 'typeorm';

import { costlySteps } from '../support/plans.js';
import { ownStatementsOf } from '../support/statements.js';
import { waitFor } from '../support/wait-for.js';
import { type Api, UNKNOWN, broken, durable, fine, held, mail, report } from './api-application.js';

const LETTER = { definition: mail, payload: { to: 'ada@example.com' } } as const;

/** Tests of the graphs of jobs. */
export function graphTests(api: Api): void {
  const graphOf = (id: string) => api.app.read<JobGraph>(`jobs/${id}/graph`);
  /** A node in short: its kind, its names, its state, and its number of jobs. */
  const inShort = ({ kind, names, state, count }: GraphNode): string =>
    [kind, ...names, state, count && `${count.count}${count.isCapped ? '+' : ''}`].filter(Boolean).join(' ');
  /** The nodes and edges of a graph in short, in a stable order. */
  const shapeOf = ({ nodes, edges }: JobGraph): string[] => {
    const byId = new Map(nodes.map((node) => [node.id, inShort(node)]));
    return [...byId.values(), ...edges.map(({ from, to, kind }) => `${byId.get(from)} ${kind} ${byId.get(to)}`)].sort();
  };

  test('a chain of groups is one graph, from any of its jobs', async () => {
    const { jobs, onSuccess, onFailure } = await api.queue.groups.enqueue({
      jobs: [jobGroup({ jobs: [{ definition: fine, payload: 1, delay: '1h' }], onSuccess: LETTER }), LETTER],
      onSuccess: { definition: report },
      onFailure: { definition: held },
    });
    const { waitsFor } = (await api.queue.jobs.find(jobs[0]!.id))!;
    const first = waitsFor!.members[0]!.id;
    const graph = await graphOf(first);
    expect(graph).toMatchObject({ job: { id: first, name: 'fine', state: 'scheduled' }, isCut: false });
    expect(shapeOf(graph)).toEqual(
      [
        'job fine scheduled',
        'job mail.send waiting',
        'job mail.send ready',
        'group open 2',
        'job report waiting',
        'job held waiting',
        'job fine scheduled success job mail.send waiting',
        'job mail.send waiting member group open 2',
        'job mail.send ready member group open 2',
        'group open 2 success job report waiting',
        'group open 2 failure job held waiting',
      ].sort(),
    );
    for (const id of [jobs[0]!.id, jobs[1]!.id, onSuccess!, onFailure!]) {
      expect(shapeOf(await graphOf(id))).toEqual(shapeOf(graph));
    }
    expect((await api.app.get(`jobs/${UNKNOWN}/graph`)).status).toBe(404);
    expect((await api.app.get('jobs/none/graph')).status).toBe(400);
  });

  test('members without a job are drawn by their outcome', async () => {
    const { jobs, onComplete } = await api.queue.groups.enqueue({
      jobs: [LETTER, LETTER, { definition: report }],
      onComplete: { definition: report },
    });
    await api.queue.cancel(jobs[0]!.id);
    await api.app.app.get(DataSource).query("DELETE FROM tq_job WHERE name = 'mail.send'");
    const shape = shapeOf(await graphOf(onComplete!));
    expect(shape).toContain('members cancelled 1 member group open 3');
    expect(shape).toContain('members pending 1 member group open 3');
    expect(shape).toContain('job report ready member group open 3');
  });

  test('the steps of a durable job lead to its children, and a child to its parent', async () => {
    const { id } = await api.queue.enqueue(durable, 4);
    await api.until(id, 'waiting');
    expect(shapeOf(await graphOf(id))).toContain('step one done step step go open');
    await api.queue.signal(id, 'go');
    await api.until(id, 'succeeded');
    const graph = await waitFor('the graph was read again', async () => {
      const now = await graphOf(id);
      return now.job.state === 'succeeded' && now;
    });
    expect(shapeOf(graph)).toEqual(
      [
        'job durable succeeded',
        'step one done',
        'step go done',
        'step fine done',
        'step two done',
        'job fine succeeded',
        'job durable succeeded step step one done',
        'step one done step step go done',
        'step go done step step fine done',
        'step fine done step step two done',
        'step fine done child job fine succeeded',
      ].sort(),
    );
    const child = graph.nodes.find(({ kind, names }) => kind === 'job' && names[0] === 'fine')!.job!;
    expect(shapeOf(await graphOf(child))).toEqual(
      ['job durable succeeded', 'job fine succeeded', 'job durable succeeded child job fine succeeded'].sort(),
    );
  });

  test('5,000 members are joined by outcome, with a few cheap statements that read no payload', async () => {
    const later = Array.from({ length: 4_930 }, () => ({ definition: fine, payload: 4, delay: '1h' }) as const);
    const now = Array.from({ length: 69 }, () => ({ definition: fine, payload: 4 }) as const);
    const { id, jobs, onComplete } = await api.queue.groups.enqueue({
      jobs: [...later, ...now, { definition: broken, payload: 1 }],
      onComplete: { definition: report },
    });
    const ids = jobs.map((job) => job.id);
    await api.queue.jobs.cancel(ids.slice(0, 3));
    await waitFor('the others have ended', async () => (await api.queue.groups.find(id))?.pending === 4_927);
    let found: unknown;
    const statements = await ownStatementsOf(api.queue, async () => {
      found = await executeRead(api.queue.engine, 'find a graph', (dialect) =>
        findGraph(dialect, uuidToBytes(ids[9]!)),
      );
    });
    expect(found).toBeDefined();
    expect(statements).toHaveLength(7);
    for (const statement of statements) {
      expect(statement.sql).not.toMatch(/payload|result|value/);
      // Few steps are sorted, up to a limit.
      const steps = await costlySteps(api.app.app.get(DataSource), statement, { small: ['tq_group'], mayGroup: true });
      expect({ sql: steps.length > 0 && statement.sql, steps }).toEqual({ sql: false, steps: [] });
    }
    const { nodes, edges } = await graphOf(ids[9]!);
    expect(nodes.map(inShort).sort()).toEqual(
      [
        'job fine scheduled',
        'job report waiting',
        'job broken failed',
        'group open 5000',
        'members fine cancelled 3',
        'members fine pending 4927',
        'members fine succeeded 69',
      ].sort(),
    );
    expect(edges).toHaveLength(6);
    expect(nodes.filter(({ isExact }) => !isExact).map(({ state }) => state)).toEqual(['pending']);
    const members = (query: string) => api.app.read<MemberPage>(`groups/${id}/members?outcome=cancelled&${query}`);
    expect((await members('name=fine&state=cancelled')).members).toHaveLength(3);
    expect((await members('name=broken')).members).toEqual([]);
    expect((await graphOf(onComplete!)).nodes).toHaveLength(6);
  });

  test('a graph has up to 150 nodes, and shows that groups are missing', async () => {
    const inner = () =>
      jobGroup({ jobs: Array.from({ length: 25 }, () => LETTER), onComplete: { definition: report } });
    const { onComplete } = await api.queue.groups.enqueue({
      jobs: Array.from({ length: 20 }, inner),
      onComplete: { definition: report },
    });
    const { nodes, isCut } = await graphOf(onComplete!);
    expect(isCut).toBe(true);
    expect(nodes.length).toBeGreaterThan(100);
    expect(nodes.length).toBeLessThanOrEqual(150);
  });
}
