import type { TableQueue } from '@tablequeue/typeorm';
import { type Finding, examineDatabase } from '@tablequeue/typeorm/doctor';
import { readClock } from '@tablequeue/typeorm/internal';

import { route } from '../api/route.js';
import { type DoctorFinding, DoctorReport } from '../contract/index.js';

const LEVELS = { ok: 'good', unknown: 'notice', warning: 'warning', problem: 'problem' } as const;

export const doctor = route({
  name: 'doctor',
  method: 'GET',
  path: 'doctor',
  summary: 'Examine the database',
  response: DoctorReport,
  run: ({ database: { queue, reads } }) => reads.getOrRead(['doctor'], () => examine(queue)),
});

async function examine(queue: TableQueue): Promise<DoctorReport> {
  const takenAt = await queue.engine.execute(readClock, { purpose: 'read the clock', readOnly: true });
  const findings = await examineDatabase(queue.dataSource, { maxPayloadBytes: queue.maxPayloadBytes });
  return {
    takenAt,
    server: findings.find(({ check }) => check === 'version')?.found ?? queue.dataSource.options.type,
    findings: findings.map(toFinding),
  };
}

function toFinding({ check, status, found, why, change }: Finding): DoctorFinding {
  const advice = [why, ...change].filter((line) => line !== undefined).join('\n');
  return { check, level: LEVELS[status], text: found, advice: advice || null };
}
