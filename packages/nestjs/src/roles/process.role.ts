import { InvalidOptionError, type JobHandler } from '@tablequeue/typeorm';

import { InvalidEnvironmentError } from '../errors/index.js';
import { QUEUE_ROLES, type QueueRole, ROLE_VARIABLE, queueRole } from './queue.role.js';

/** The environment variable that names the queues this process works on. */
const QUEUES_VARIABLE = 'TABLEQUEUE_QUEUES';

/** Options of `TableQueueModule` for the role of this process. Environment variables override both. */
export interface RoleOptions {
  /**
   * The role of this process: see `QueueRole`. The environment variable `TABLEQUEUE_ROLE` overrides it, so that
   * processes with the same code can have different roles. Default: `'all'`.
   */
  readonly role?: QueueRole;
  /**
   * The queues this process claims from. The environment variable `TABLEQUEUE_QUEUES`, names separated by commas,
   * overrides it. Default: all queues that have handlers.
   */
  readonly workOn?: readonly string[];
}

export const ROLE_OPTIONS: readonly string[] = ['role', 'workOn'];

/** A setting and its origin. */
export interface Decided<T> {
  readonly value: T;
  /** The origin in log lines: `TABLEQUEUE_ROLE`, `option role`, `default`. */
  readonly by: string;
  /** Whether it comes from the environment: then it applies to all modules of the application. */
  readonly isFromEnvironment: boolean;
}

/** The role of this process, checked. */
export interface ProcessRole {
  readonly role: Decided<QueueRole>;
  /** Undefined for all queues that have handlers. */
  readonly workOn: Decided<readonly string[]> | undefined;
}

/** @throws InvalidOptionError, InvalidEnvironmentError */
export function resolveProcessRole(options: RoleOptions): ProcessRole {
  const role = decideRole(options.role);
  const workOn = workOnOf(process.env) ?? workOnOption(options.workOn);
  if (role.value === 'producer' && workOn && !role.isFromEnvironment && !workOn.isFromEnvironment) {
    // Both are set in code for the same process, so one of them is a mistake.
    throw new InvalidOptionError('workOn', workOn.value, "left out beside role 'producer'");
  }
  return { role, workOn };
}

function decideRole(option: QueueRole | undefined): Decided<QueueRole> {
  if (option !== undefined && !QUEUE_ROLES.includes(option)) {
    throw new InvalidOptionError('role', option, `one of '${QUEUE_ROLES.join("', '")}'`);
  }
  return process.env[ROLE_VARIABLE]
    ? { value: queueRole(), by: ROLE_VARIABLE, isFromEnvironment: true }
    : { value: option ?? 'all', by: option ? 'option role' : 'default', isFromEnvironment: false };
}

function workOnOf({ [QUEUES_VARIABLE]: value }: NodeJS.ProcessEnv): Decided<readonly string[]> | undefined {
  if (!value) {
    return undefined;
  }
  const queues = value.split(',').map((name) => name.trim());
  if (queues.includes('')) {
    throw new InvalidEnvironmentError(QUEUES_VARIABLE, value, 'names of queues, separated by commas, or left unset');
  }
  return { value: queues, by: QUEUES_VARIABLE, isFromEnvironment: true };
}

function workOnOption(option: unknown): Decided<readonly string[]> | undefined {
  if (option === undefined) {
    return undefined;
  }
  if (!Array.isArray(option) || option.length === 0 || !option.every((name) => typeof name === 'string')) {
    throw new InvalidOptionError(
      'workOn',
      option,
      "an array with names of queues; for none of them use role 'producer'",
    );
  }
  return { value: option, by: 'option workOn', isFromEnvironment: false };
}

/**
 * Allows queues from the environment in a producer where they are meant for other modules of the application.
 *
 * @param all the handlers of the other modules.
 * @throws InvalidEnvironmentError where there are none.
 */
export function assertOthersWork({ role, workOn }: ProcessRole, all: readonly JobHandler[]): void {
  if (workOn?.isFromEnvironment && all.length === 0) {
    const accepted = `left unset in a producer, which it is by ${role.by}, or ${ROLE_VARIABLE} set to all or worker`;
    throw new InvalidEnvironmentError(QUEUES_VARIABLE, workOn.value.join(','), accepted);
  }
}
