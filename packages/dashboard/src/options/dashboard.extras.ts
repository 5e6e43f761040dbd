import type { CanActivate, ModuleMetadata, Type } from '@nestjs/common';
import { InvalidOptionError } from '@tablequeue/typeorm';

import { MissingGuardError } from '../errors.js';

/** A guard: a class that Nest instantiates, or an instance. */
export type DashboardGuard = Type<CanActivate> | CanActivate;

/** The options that the routes depend on. With `forRootAsync`, pass them beside the factory. */
export interface DashboardExtras {
  /** The path of the pages, below the global prefix of the application. Default: `'/queues'`. */
  readonly path?: string;
  /**
   * The guards of the pages, their files and the API. They run first, in this order. Required unless `public` is set.
   */
  readonly guards?: readonly DashboardGuard[];
  /**
   * Allows a dashboard without guards: for an application with a global guard, or one that only trusted users can
   * reach.
   */
  readonly public?: true;
  /** Modules that export the providers that the guards inject. Global modules are not needed here. Default: none. */
  readonly imports?: ModuleMetadata['imports'];
}

/** The validated extras with all defaults. */
export interface ResolvedExtras {
  /** Without slashes at its ends. */
  readonly path: string;
  readonly guards: readonly DashboardGuard[];
  readonly isPublic: boolean;
  readonly imports: NonNullable<ModuleMetadata['imports']>;
}

/** The defaults for Nest's module builder, which recognizes extras by these names. */
export const NO_EXTRAS: Readonly<Record<keyof DashboardExtras, undefined>> = {
  path: undefined,
  guards: undefined,
  public: undefined,
  imports: undefined,
};

export const EXTRAS: readonly string[] = Object.keys(NO_EXTRAS);

const PATH = /^\/?[\w.~-]+(?:\/[\w.~-]+)*\/?$/;

/**
 * Validates the extras.
 *
 * @throws InvalidOptionError for an invalid value; MissingGuardError without `guards` and `public`.
 */
export function resolveExtras(extras: DashboardExtras): ResolvedExtras {
  const { path = '/queues', guards = [], public: isPublic, imports = [] } = extras;
  if (typeof path !== 'string' || !PATH.test(path)) {
    throw new InvalidOptionError('path', path, "a path of letters, digits, '-', '_', '.' and '~', such as '/queues'");
  }
  if (!Array.isArray(guards) || !guards.every(isGuard)) {
    throw new InvalidOptionError('guards', guards, 'a list of guards: classes, or instances');
  }
  if (isPublic !== undefined && (isPublic as unknown) !== true) {
    throw new InvalidOptionError('public', isPublic, 'true, or left out');
  }
  if (guards.length === 0 && !isPublic) {
    throw new MissingGuardError();
  }
  return { path: path.replace(/^\/|\/$/g, ''), guards, isPublic: isPublic ?? false, imports };
}

function isGuard(value: unknown): boolean {
  return typeof value === 'function' || typeof (value as CanActivate | null)?.canActivate === 'function';
}
