import { costOf } from '../process-cost.js';
import type { Metrics } from './task.js';

/**
 * Measures work on jobs: their rate, and the CPU time of this process and of the server for each.
 *
 * @param name what the metrics' names begin with.
 * @param work resolves to how many jobs it has done.
 */
export async function measure(
  name: string,
  serverProcess: number | undefined,
  work: () => Promise<number>,
): Promise<Metrics> {
  const serverBefore = costOf(serverProcess)?.cpu ?? NaN;
  const clientBefore = process.cpuUsage();
  const since = performance.now();
  const jobs = await work();
  const elapsed = performance.now() - since;
  const client = process.cpuUsage(clientBefore);
  const server = (costOf(serverProcess)?.cpu ?? NaN) - serverBefore;
  return {
    [`${name} /s`]: (jobs / elapsed) * 1000,
    [`${name} client µs`]: (client.user + client.system) / jobs,
    [`${name} server µs`]: (server * 1000) / jobs,
  };
}
