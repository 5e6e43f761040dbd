import { TableQueueJob } from '@tablequeue/typeorm';
import { LIVE_STATES } from '@tablequeue/typeorm/internal';
import { type DataSource, In, Not } from 'typeorm';

import { tickJob } from './definitions.js';

/** Counts the unfinished jobs of one queue, or of all but the recurring ones. One statement, which reads an index. */
export function countUnfinished(dataSource: DataSource, queue?: string): Promise<number> {
  const jobs = dataSource.getRepository(TableQueueJob);
  return jobs.countBy({ queue: queue ?? Not(tickJob.queue), state: In(LIVE_STATES) });
}
