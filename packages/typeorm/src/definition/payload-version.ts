import { InvalidOptionError, MissingUpcasterError, UpcasterFailedError } from '../errors/index.js';
import { wholeNumber } from '../options.js';
import { isThenable } from '../async/thenable.js';

/** The largest number of the column. */
export const HIGHEST_VERSION = 65_535;

/**
 * Converts a payload to the next version. It gets the stored payload, `undefined` for a job without one, and may change
 * it. It returns the converted payload or a promise of it.
 *
 * Use nothing but the payload: if an upcaster throws, the job fails with an `UpcasterFailedError` and is not retried.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- only its author knows the types of older versions
export type Upcaster = (payload: any) => unknown;

/** Upcasters by the version that they convert: `{ 1: toVersion2, 2: toVersion3 }`. */
export type Upcasters = Readonly<Record<number, Upcaster>>;

/** A definition, as far as its versions go. */
interface VersionedDefinition {
  readonly name: string;
  readonly version: number;
  readonly upcasters: Upcasters;
}

/** @throws InvalidOptionError */
export function resolveVersion(version = 1): number {
  return wholeNumber('version', version, 1, HIGHEST_VERSION);
}

/** @throws InvalidOptionError for an upcaster that is missing, and for one that is never called. */
export function resolveUpcasters(upcasters: Upcasters = {}, version: number): Upcasters {
  if (typeof upcasters !== 'object' || upcasters === null || Array.isArray(upcasters)) {
    throw new InvalidOptionError('upcasters', upcasters, 'an object of functions, by version');
  }
  let oldest = version;
  for (const [name, upcaster] of Object.entries(upcasters)) {
    const from = Number(name);
    if (!(Number.isInteger(from) && from >= 1 && from < version && String(from) === name)) {
      throw new InvalidOptionError(`upcasters.${name}`, upcaster, `left out: the payload has version ${version} now`);
    }
    oldest = Math.min(oldest, from);
  }
  for (let from = oldest; from < version; from++) {
    if (typeof upcasters[from] !== 'function') {
      const accepted = `a function that converts a payload of version ${from} to version ${from + 1}`;
      throw new InvalidOptionError(`upcasters.${from}`, upcasters[from], accepted);
    }
  }
  return Object.freeze({ ...upcasters });
}

/**
 * Converts a payload to the version of the definition. Returns a promise only if an upcaster does.
 *
 * @throws MissingUpcasterError if the definition has no upcaster for a version.
 * @throws UpcasterFailedError if an upcaster throws.
 */
export function upcast(definition: VersionedDefinition, payload: unknown, version: number): unknown {
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
