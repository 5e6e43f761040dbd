import type { Codecs } from '../codec/codecs.js';
import type { AnyJobDefinition } from '../definition/job-definition.js';
import type { Engine } from '../engine/engine.js';
import { type DeclaredJob, declareCodeOnlyJobs } from '../store/base/declare-code-only-jobs.js';
import { declareLimits } from '../store/base/declare-limits.js';
import type { StoredLimits } from '../store/base/queue-settings.js';
import type { JobHandler } from './handlers/job-handler.js';

/** Stores what the code of a worker declares for its queues: their limits, and which jobs only code can enqueue. */
export async function declareQueues(
  engine: Engine,
  limits: ReadonlyMap<string, StoredLimits>,
  handlers: readonly JobHandler[],
  codecs: Codecs,
): Promise<void> {
  if (limits.size > 0) {
    const options = { purpose: 'store the limits of queues', atomic: true };
    await engine.execute((dialect) => declareLimits(dialect, limits), options);
  }
  const jobs = handlers.flatMap(({ definition }) => declaredJob(definition, codecs));
  // SQLite has no procedures.
  if (jobs.length > 0 && !engine.isSynchronous) {
    const options = { purpose: 'store which jobs only code can enqueue', atomic: true };
    await engine.execute((dialect) => declareCodeOnlyJobs(dialect, jobs), options);
  }
}

function declaredJob(definition: AnyJobDefinition, codecs: Codecs): DeclaredJob[] {
  const { name, queue, order, unique, tenant, subscription } = definition;
  const rules = [order, unique, tenant, codecs.encoderFor(definition)];
  return subscription ? [] : [{ name, queue, isCodeOnly: rules.some((rule) => rule !== undefined) }];
}
