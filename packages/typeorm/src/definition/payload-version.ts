import { InvalidOptionError, MissingUpcasterError, UpcasterFailedError } from '../errors/index.js';
import { wholeNumber } from '../options.js';
import { isThenable } from '../async/thenable.js';
import type { AnyJobDefinition } from './job-definition.js';

/** What the column holds. */
const HIGHEST_VERSION = 65_535;

/**
 * Makes a payload of the next version of one of the version before, or a promise of it. It gets what was stored, read
 * from its JSON and free to be changed; `undefined` where a job has no payload.
 *
 * It should need nothing but that: what it throws ends the job with an `UpcasterFailedError`, without a retry.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- what older versions were only its author knows
export type Upcaster = (payload: any) => unknown;

/** Upcasters by the version they read. */
export type Upcasters = Readonly<Record<number, Upcaster>>;

/** @throws InvalidOptionError */
export function resolveVersion(version = 1): number {
  return wholeNumber('version', version, 1, HIGHEST_VERSION);
}

/** @throws InvalidOptionError naming the upcaster that is missing, or one that nothing would call. */
export function resolveUpcasters(upcasters: Upcasters = {}, version: number): Upcasters {
  if (typeof upcasters !== 'object' || upcasters === null || Array.isArray(upcasters)) {
    throw new InvalidOptionError('upcasters', upcasters, 'an object of functions by version');
  }
  let oldest = version;
  for (const [name, upcaster] of Object.entries(upcasters)) {
    const from = Number(name);
    if (!(Number.isInteger(from) && from >= 1 && from < version && String(from) === name)) {
      throw new InvalidOptionError(
        `upcasters.${name}`,
        upcaster,
        `left out, as the payload has version ${version} now`,
      );
    }
    oldest = Math.min(oldest, from);
  }
  for (let from = oldest; from < version; from++) {
    if (typeof upcasters[from] !== 'function') {
      const accepted = `a function that makes a payload of version ${from + 1} of one of version ${from}`;
      throw new InvalidOptionError(`upcasters.${from}`, upcasters[from], accepted);
    }
  }
  return Object.freeze({ ...upcasters });
}

/**
 * The payload in the version of the definition; a promise of it only where an upcaster returns one.
 *
 * @throws MissingUpcasterError, UpcasterFailedError
 */
export function upcast(definition: AnyJobDefinition, payload: unknown, version: number): unknown {
  const { name, upcasters } = definition;
  let current = payload;
  for (let from = version; from < definition.version; from++) {
    const upcaster = upcasters[from];
    if (!upcaster) {
      throw new MissingUpcasterError(name, from, definition.version);
    }
    const failed = (error: unknown): never => {
      throw new UpcasterFailedError(name, from, { cause: error });
    };
    try {
      current = upcaster(current);
    } catch (error) {
      failed(error);
    }
    if (isThenable(current)) {
      return Promise.resolve(current).then((next) => upcast(definition, next, from + 1), failed);
    }
  }
  return current;
}
