import { InvalidOptionError } from '@tablequeue/typeorm';
import { assertKnownOptions } from '@tablequeue/typeorm/internal';

import type { Role } from '../contract/index.js';

/** The job that a value belongs to, for `redact`. */
export interface DashboardJob {
  /** The id of the job. */
  readonly id: string;
  /** The name of its definition. */
  readonly name: string;
  /** The name of its queue. */
  readonly queue: string;
  /** Its key. Undefined without one. */
  readonly key: string | undefined;
  /** Its tenant. Undefined without one. */
  readonly tenant: string | undefined;
  /** Which value of the job is shown. */
  readonly part: 'payload' | 'result' | 'progress' | 'log';
}

/**
 * The options of a dashboard: what it shows, and what users may do. A function gets the request of the platform,
 * Express or Fastify, with everything that the guards added to it.
 */
export interface DashboardOptions {
  /**
   * Returns what the user may do: `'reader'` or `'operator'`. Called after the guards; any other value means
   * `'reader'`. Default: `'operator'` with guards, `'reader'` with `public: true`.
   */
  readonly role?: (request: never) => Role | Promise<Role>;
  /**
   * Returns the name of the user, for the pages and the audit log; up to 191 characters of it are kept. Default: no
   * name.
   */
  readonly who?: (request: never) => string | null | undefined | Promise<string | null | undefined>;
  /** `'hidden'` shows no payloads, no results, no logs, and only numbers as progress. Default: `'shown'`. */
  readonly payloads?: 'shown' | 'hidden';
  /**
   * Returns what to show instead of a payload, a result, progress that is not a number, or a line of a log, which is
   * `{ message, fields }`. It gets a copy, and may return a promise. If it throws or returns a value that is not JSON, nothing is shown. Default: values are shown as
   * they are.
   */
  readonly redact?: (value: unknown, job: DashboardJob) => unknown;
  /** The names of the data sources to show, at least one. Default: all that have a queue. */
  readonly dataSources?: readonly string[];
  /**
   * Further origins whose pages may send changes, such as `'https://admin.example.com'`. Only needed if a proxy changes
   * the header `Host` and the pages are not served over HTTPS. Default: none.
   */
  readonly origins?: readonly string[];
  /** A label beside the title, such as `'staging'`: 1 to 40 characters. Default: none. */
  readonly environment?: string;
}

/** The longest label of the environment, in characters. */
const LONGEST_LABEL = 40;

/** The validated options with all defaults. */
export interface ResolvedOptions {
  readonly role: (request: unknown) => Promise<Role>;
  readonly who: (request: unknown) => Promise<string | null>;
  readonly redact: ((value: unknown, job: DashboardJob) => unknown) | undefined;
  readonly payloads: 'shown' | 'hidden';
  readonly dataSources: readonly string[] | undefined;
  readonly origins: readonly string[];
  readonly environment: string | null;
}

export const OPTIONS = ['role', 'who', 'payloads', 'redact', 'dataSources', 'origins', 'environment'];

/**
 * Validates the options.
 *
 * @param isPublic whether `public` is set.
 * @throws InvalidOptionError for an invalid value; UnknownOptionError for an unknown name.
 */
export function resolveOptions(options: DashboardOptions, isPublic: boolean): ResolvedOptions {
  assertKnownOptions(options, OPTIONS);
  const { payloads = 'shown', dataSources, origins = [], environment } = options;
  const { role, who, redact } = options;
  Object.entries({ role, who, redact }).forEach(([option, value]) => assertFunction(option, value));
  if (payloads !== 'shown' && payloads !== 'hidden') {
    throw new InvalidOptionError('payloads', payloads, "'shown' or 'hidden'");
  }
  if (dataSources !== undefined && !(isStringArray(dataSources) && dataSources.length > 0)) {
    throw new InvalidOptionError('dataSources', dataSources, 'a list of names of data sources, with at least one');
  }
  if (!isStringArray(origins) || origins.some((origin) => !isOrigin(origin))) {
    throw new InvalidOptionError('origins', origins, "a list of origins, such as 'https://admin.example.com'");
  }
  if (environment !== undefined && !isLabel(environment)) {
    throw new InvalidOptionError('environment', environment, `a text of 1 to ${LONGEST_LABEL} characters`);
  }
  return {
    role: async (request) => toRole(role ? await role(request as never) : isPublic ? 'reader' : 'operator'),
    who: async (request) => (await who?.(request as never)) ?? null,
    redact,
    payloads,
    dataSources,
    origins,
    environment: environment ?? null,
  };
}

/** An invalid value must not grant more than `reader`. */
function toRole(role: unknown): Role {
  return role === 'operator' ? 'operator' : 'reader';
}

function assertFunction(option: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'function') {
    throw new InvalidOptionError(option, value, 'a function');
  }
}

function isLabel(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_LABEL;
}

function isStringArray(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}
