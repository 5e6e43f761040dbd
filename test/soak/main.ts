/*
 * The soak: a steady load for an hour, and whether anything grows under it.
 *
 *   npm run soak -- --engine=mariadb           Or mysql, or sqlite: producer, workers and dashboard in their processes.
 *   npm run soak -- … --duration=30m           Default: 1h.
 *   npm run soak -- … --rate=100               Jobs a second. Default: 200.
 *   npm run soak -- … --to=folder              For samples and charts. Default: soak-<engine> in the temporary one.
 *   npm run soak -- --judge=file.jsonl         Judges and draws the samples of a run before.
 *
 * It exits with 1 where something grows, or was not as expected.
 */
import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

import { machine } from '../bench/machine.js';
import { planOf } from './plan.js';
import { runSoak } from './run-soak.js';
import type { Sample, SoakHeader, SoakRecord } from './sample.js';
import { chartOf } from './verdict/chart.js';
import { isGood, reportOf } from './verdict/report.js';
import { verdictOf } from './verdict/verdict.js';

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      engine: { type: 'string', default: 'mariadb' },
      duration: { type: 'string', default: '1h' },
      rate: { type: 'string', default: '200' },
      to: { type: 'string' },
      judge: { type: 'string' },
    },
  });
  const file = values.judge ?? (await run(values, values.to ?? join(tmpdir(), `soak-${values.engine}`)));
  const record = await readRecord(file);
  const verdict = verdictOf(record);
  const chart = join(dirname(file), `soak-${record.header.plan.engine}.svg`);
  await writeFile(chart, chartOf(record));
  const { version, machine: ranOn } = record.header;
  console.log(`${version}\n${ranOn}\n\n${reportOf(verdict)}\n\nThe samples are in ${file}, the charts in ${chart}.`);
  return isGood(verdict) ? 0 : 1;
}

/** @returns the file with its samples, which are written while it runs. */
async function run(options: { engine: string; duration: string; rate: string }, folder: string): Promise<string> {
  const plan = planOf(options);
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'samples.jsonl');
  await rm(file, { force: true });
  let written: Promise<void> = Promise.resolve();
  const write = (line: SoakHeader | Sample) => {
    written = written.then(() => appendFile(file, `${JSON.stringify(line)}\n`));
  };
  await runSoak(plan, {
    log,
    begin(version) {
      log(`${version}, ${plan.rate} jobs a second for ${plan.duration / 1000} s, samples in ${file}`);
      write({ plan, version, machine: machine() });
    },
    sample: write,
  });
  await written;
  return file;
}

async function readRecord(file: string): Promise<SoakRecord> {
  const [header, ...samples] = (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  return { header: header as SoakHeader, samples: samples as Sample[] };
}

function log(message: string): void {
  console.error(message);
}

process.exitCode = await main();
