import { InvalidOptionError } from '@tablequeue/typeorm';
import { assertKnownOptions } from '@tablequeue/typeorm/internal';

import type { Role } from './contract/index.js';

/** A job as `redact` is told of it. */
export interface DashboardJob {
  readonly id: string;
  readonly name: string;
  readonly queue: string;
  readonly key: string | undefined;
  readonly tenant: string | undefined;
  /** What is to be shown of it. */
  readonly part: 'payload' | 'result' | 'progress';
}

/**
 * What a dashboard shows, and to whom. A request is what the platform's own is, Express' or Fastify's, as the guards have
 * left it.
 */
export interface DashboardOptions {
  /**
   * Whether the one who asks may change things. Asked after the guards. Default: with guards `'operator'`; with
   * `public: true` `'reader'`.
   */
  readonly role?: (request: never) => Role | Promise<Role>;
  /** The name of the one who asks, for the page's head and the record of who did what. Default: nobody's. */
  readonly who?: (request: never) => string | null | undefined | Promise<string | null | undefined>;
  /** `'hidden'` shows no payload, no result, and of progress numbers only, to anybody. Default: `'shown'`. */
  readonly payloads?: 'shown' | 'hidden';
  /**
   * Makes what is shown of a payload, of a result, or of progress that is no number, or a promise of it; the one given is a copy. Where it throws, or makes
   * what is no JSON, nothing is shown.
   */
  readonly redact?: (value: unknown, job: DashboardJob) => unknown;
  /** The names of the data sources whose queues are shown, the first first. Default: all that have one. */
  readonly dataSources?: readonly string[];
  /**
   * Origins whose pages may change things, besides the one that requests are sent to: `'https://admin.example.com'`. Only
   * needed where a proxy changes the header Host and the pages are not served by HTTPS.
   */
  readonly origins?: readonly string[];
}

/** The options, checked and complete. */
export interface ResolvedOptions {
  readonly role: (request: unknown) => Promise<Role>;
  readonly who: (request: unknown) => Promise<string | null>;
  readonly redact: ((value: unknown, job: DashboardJob) => unknown) | undefined;
  readonly payloads: 'shown' | 'hidden';
  readonly dataSources: readonly string[] | undefined;
  readonly origins: readonly string[];
}

export const OPTIONS = ['role', 'who', 'payloads', 'redact', 'dataSources', 'origins'];

/**
 * @param isPublic what `public` says.
 * @throws InvalidOptionError, UnknownOptionError
 */
export function resolveOptions(options: DashboardOptions, isPublic: boolean): ResolvedOptions {
  assertKnownOptions(options, OPTIONS);
  const { payloads = 'shown', dataSources, origins = [] } = options;
  const { role, who, redact } = options;
  Object.entries({ role, who, redact }).forEach(([option, value]) => assertFunction(option, value));
  if (payloads !== 'shown' && payloads !== 'hidden') {
    throw new InvalidOptionError('payloads', payloads, "'shown' or 'hidden'");
  }
  if (dataSources !== undefined && !(isTexts(dataSources) && dataSources.length > 0)) {
    throw new InvalidOptionError('dataSources', dataSources, 'a list of names of data sources, with at least one');
  }
  if (!isTexts(origins) || origins.some((origin) => !isOrigin(origin))) {
    throw new InvalidOptionError('origins', origins, "a list of origins, such as 'https://admin.example.com'");
  }
  return {
    role: async (request) => roleOf(role ? await role(request as never) : isPublic ? 'reader' : 'operator'),
    who: async (request) => (await who?.(request as never)) ?? null,
    redact,
    payloads,
    dataSources,
    origins,
  };
}

/** What is neither of the two must not become the mightier one. */
function roleOf(role: unknown): Role {
  return role === 'operator' ? 'operator' : 'reader';
}

function assertFunction(option: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'function') {
    throw new InvalidOptionError(option, value, 'a function');
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}
