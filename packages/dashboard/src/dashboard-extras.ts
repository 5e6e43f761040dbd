import type { CanActivate, InjectionToken, ModuleMetadata, Type } from '@nestjs/common';
import { InvalidOptionError } from '@tablequeue/typeorm';

import { MissingGuardError } from './errors/index.js';

/** A guard: a class, of which Nest makes one here, or an instance. */
export type DashboardGuard = Type<CanActivate> | CanActivate;

/** What has to be known before any factory runs: the routes are made of it. */
export interface DashboardExtras {
  /** Where the pages are, below the application's global prefix. Default: `'/queues'`. */
  readonly path?: string;
  /** Who lets people in: on the pages, their files and the API, before anything else, in this order. */
  readonly guards?: readonly DashboardGuard[];
  /**
   * Says that there is no guard here because none is needed: a global one does it, or nobody else reaches the
   * application.
   */
  readonly public?: true;
  /** Modules that export what the guards inject. Those of global modules are found without. */
  readonly imports?: ModuleMetadata['imports'];
}

/** The extras, checked and complete. */
export interface ResolvedExtras {
  /** Without slashes at its ends. */
  readonly path: string;
  readonly guards: readonly DashboardGuard[];
  readonly isPublic: boolean;
  readonly imports: NonNullable<ModuleMetadata['imports']>;
}

/** What Nest's builder takes for the extras where they are not given. It knows them by these names. */
export const NO_EXTRAS: Readonly<Record<keyof DashboardExtras, undefined>> = {
  path: undefined,
  guards: undefined,
  public: undefined,
  imports: undefined,
};

export const EXTRAS: readonly string[] = Object.keys(NO_EXTRAS);

const PATH = /^\/?[\w.~-]+(?:\/[\w.~-]+)*\/?$/;

/** @throws InvalidOptionError, MissingGuardError */
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

/** The checked extras of a module. */
export const RESOLVED_EXTRAS: InjectionToken<ResolvedExtras> = Symbol('DASHBOARD_EXTRAS');
