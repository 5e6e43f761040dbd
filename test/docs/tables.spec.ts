import { readFile } from 'node:fs/promises';

import { describe, expect, test } from '@jest/globals';
import { defineJob } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { finishedJobs } from '../support/finished-jobs.js';
import { heldHandler } from '../support/held-handler.js';
import { costlySteps } from '../support/plans.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const ROOT = new URL('../../', import.meta.url);
const text = await readFile(new URL('docs/reference/tables.md', ROOT), 'utf8');
const picture = await readFile(new URL('packages/typeorm/schema/mysql.sql', ROOT), 'utf8');
const samples = [...text.matchAll(/^```sql\n(.*?);\n```$/gms)].map(([, sql = '']) => sql);
/** The first one reads an index from one end to the other, as the page states. */
const COUNTS = 1;

const columnsOf = (list: string) => list.replaceAll('`', '').split(/, ?/).join(', ');

/** The tables in the page, each with its columns and indexes. */
function tablesOfPage() {
  return text
    .split(/^### /m)
    .slice(1)
    .map((section) => {
      const [columns = '', indexes = ''] = section.split(/^\| index .*\n/m);
      return {
        table: section.split('\n', 1)[0],
        columns: [...columns.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name),
        indexes: [...indexes.matchAll(/^\| `?(primary key|tq_\w+)`? +\| (.+?) +\|/gm)].map(
          ([, name, list = '']) => `${name}: ${columnsOf(list)}`,
        ),
      };
    });
}

/** The same in the picture of the schema. */
function tablesOfPicture() {
  return [...picture.matchAll(/^CREATE TABLE `(\w+)` \(\n(.*?)^\) /gms)].map(([, table, body = '']) => ({
    table,
    columns: [...body.matchAll(/^ {2}`(\w+)` /gm)].map(([, name]) => name),
    indexes: [...body.matchAll(/^ {2}(?:PRIMARY |UNIQUE )?KEY (?:`(\w+)` )?\((.+)\)/gm)].map(
      ([, name = 'primary key', list = '']) => `${name}: ${columnsOf(list)}`,
    ),
  }));
}

const byName = (tables: ReturnType<typeof tablesOfPage>) =>
  tables.toSorted((a, b) => String(a.table).localeCompare(String(b.table)));

describe('docs/reference/tables.md', () => {
  test('lists the tables, columns and indexes of the schema', () => {
    expect(byName(tablesOfPage())).toEqual(byName(tablesOfPicture()));
  });
});

describeEach('the SQL in docs/reference/tables.md', (engine) => {
  const bench = useWorkbench(engine);
  const mail = defineJob('mail', { queue: 'mail' });
  const other = defineJob('other');

  test('finds jobs, and reads no more than the page states', async () => {
    await finishedJobs(bench, other, 400, 'succeeded');
    await finishedJobs(bench, other, 10, 'failed', false);
    await bench.queue.enqueueMany(
      other,
      Array.from({ length: 400 }, (_, index) => ({ key: `other:${index}` })),
    );
    const held = heldHandler(mail);
    const worker = await bench.work([held.handler]);
    await bench.queue.enqueue(mail);
    await waitFor('it runs', () => held.runs.length === 1);
    await worker.stopClaiming();
    await bench.queue.enqueue(mail, undefined, { key: 'order:1' });

    const found: number[] = [];
    for (const sql of samples) {
      const rows: unknown[] = await bench.dataSource.query(sql);
      found.push(rows.length);
    }
    expect(found).toEqual([5, 1, 1, 1, 1]);
    const costly = await Promise.all(
      samples
        .slice(COUNTS)
        .map((sql) => costlySteps(bench.dataSource, { sql, parameters: [] }, { small: ['tq_worker'] })),
    );
    expect(costly.flat()).toEqual([]);
    held.runs[0]!.end();
  });
});
