/*
 * The bench: runs Tablequeue and its peers on this machine, one after another.
 *
 *   npm run bench -- [options]    Everything takes 50 to 90 minutes.
 *
 *   --quick                       Measures less, in two and a half to five minutes.
 *   --check                       Exits with 1 where a target is missed, and names it.
 *   --only=MariaDB                Runs only subjects whose name contains it. Separate several by commas.
 *   --against=d4749d8             Compares with Tablequeue of this commit, which it builds at the first run.
 *   --measure=browsing            Takes only these one-time measurements. Separate several by commas.
 *   --json=file.json              Writes the figures here. Default: bench.json in the temporary folder.
 */
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { against } from './against.js';
import { Grounds } from './grounds.js';
import { machine } from './machine.js';
import { measureAll } from './measure-all.js';
import { planOf } from './plan.js';
import { otherTable, ratesTable, verdictTable } from './report.js';
import { verdicts } from './targets.js';

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      against: { type: 'string' },
      measure: { type: 'string' },
      json: { type: 'string', default: join(tmpdir(), 'bench.json') },
    },
  });
  if (values.against !== undefined && values.measure !== undefined) {
    throw new Error('--measure takes nothing of another commit. Leave --against or --measure out.');
  }
  const others = values.against === undefined ? [] : await against(values.against, log);
  const plan = await planOf(values.quick, values.measure?.split(','), others);
  const wanted = values.only.split(',');
  const subjects = plan.subjects.filter((subject) => {
    return others.includes(subject) || wanted.some((part) => subject.name.includes(part));
  });
  const grounds = new Grounds(log);
  try {
    await grounds.start(subjects.map(({ ground }) => ground));
    const versions = [...grounds.versions(), ...new Set(subjects.flatMap(({ release }) => release ?? []))];
    const about = { machine: machine(), versions, counts: plan.counts };
    const results = await measureAll({ ...plan, subjects }, grounds, log, (measured) => {
      writeFileSync(values.json, JSON.stringify({ ...about, results: measured }, null, 2));
    });
    const isWhole = plan.isWhole && values.only === '';
    const judged = verdicts(results).filter(({ value }) => isWhole || !Number.isNaN(value));
    console.log(`\n${machine()}\n${versions.join(' · ')}\n`);
    const tables = [ratesTable(results), otherTable(results), verdictTable(judged)];
    console.log(tables.filter((table) => table !== '').join('\n\n'));
    console.log(`\nThe figures are in ${values.json}.`);
    const missed = judged.filter(({ isMet }) => !isMet);
    if (values.check && missed.length > 0) {
      console.log(`\n${missed.length} of ${judged.length} targets missed:`);
      missed.forEach(({ target, bound, value }) => console.log(`  ${target}: ${value}, wanted ${bound}`));
      return 1;
    }
    return 0;
  } finally {
    await grounds.stop();
  }
}

function log(message: string): void {
  console.error(message);
}

process.exitCode = await main();
