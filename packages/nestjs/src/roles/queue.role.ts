import { InvalidEnvironmentError } from '../errors/index.js';

/**
 * What a process does with the queue:
 *
 * - `'all'`: it enqueues, and works on the queues it has handlers for.
 * - `'producer'`: it only enqueues. It has no worker and no timers, needs no `ScheduleModule`, and sets no schedules.
 * - `'worker'`: as `'all'`, and it is an error if there is nothing to work on. Its `main.ts` may leave out the HTTP
 *   server.
 */
export type QueueRole = 'all' | 'producer' | 'worker';

export const QUEUE_ROLES: readonly QueueRole[] = ['all', 'producer', 'worker'];

/** The environment variable that sets the role of this process. */
export const ROLE_VARIABLE = 'TABLEQUEUE_ROLE';

/**
 * The role of this process from `TABLEQUEUE_ROLE`, as `TableQueueModule` reads it. Lets one `main.ts` decide whether to
 * listen for requests:
 *
 *     if (queueRole() === 'worker') {
 *       await NestFactory.createApplicationContext(AppModule);
 *     } else {
 *       await (await NestFactory.create(AppModule)).listen(3000);
 *     }
 *
 * @param otherwise the role where the variable is unset or empty: pass the module's option `role`. Default: `'all'`.
 * @throws InvalidEnvironmentError for an unknown role.
 */
export function queueRole(otherwise: QueueRole = 'all'): QueueRole {
  const value = process.env[ROLE_VARIABLE] || otherwise;
  const role = QUEUE_ROLES.find((each) => each === value);
  if (role === undefined) {
    throw new InvalidEnvironmentError(ROLE_VARIABLE, value, `one of ${QUEUE_ROLES.join(', ')}, or left unset`);
  }
  return role;
}
