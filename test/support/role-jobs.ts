import { defineJob } from '@tablequeue/typeorm';

/** The jobs of the application of `processes/roles.ts`: each has a queue of its own. */
export const mailJob = defineJob<number>('mail', { queue: 'mails' });
export const reportJob = defineJob<number>('report', { queue: 'reports' });

/** The report of a process of this application after its start. */
export interface RoleMessage {
  readonly pid: number;
  /** Where it listens for requests; undefined where it does not. */
  readonly address?: string | undefined;
  /** How many intervals its scheduler has. */
  readonly intervals: number;
}
