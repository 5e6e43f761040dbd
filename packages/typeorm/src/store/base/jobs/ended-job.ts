/** A job that has ended, as far as other jobs depend on it. */
export interface EndedJob {
  readonly name: string;
  readonly groupId: Buffer | null;
  readonly orderKey: string | null;
}

/** Returns the jobs on which others may depend: one for each group and order key. */
export function withDependents(jobs: readonly EndedJob[]): EndedJob[] {
  const byIdentity = new Map<string, EndedJob>();
  for (const { name, groupId, orderKey } of jobs) {
    if (groupId !== null || orderKey !== null) {
      byIdentity.set(`${groupId?.toString('hex')} ${orderKey === null ? '' : `${name} ${orderKey}`}`, {
        name,
        groupId,
        orderKey,
      });
    }
  }
  return [...byIdentity.values()];
}
