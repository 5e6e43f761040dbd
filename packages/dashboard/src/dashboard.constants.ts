import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { InjectionToken, Type } from '@nestjs/common';

import folder from '../folder.cjs';
import type { ResolvedExtras } from './options/dashboard.extras.js';
import type { ResolvedOptions } from './options/dashboard.options.js';

const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly version: string };

export const VERSION = manifest.version;

export const RESOLVED_OPTIONS: InjectionToken<ResolvedOptions> = Symbol('DASHBOARD_OPTIONS');

/** The validated extras of a module. */
export const RESOLVED_EXTRAS: InjectionToken<ResolvedExtras> = Symbol('DASHBOARD_EXTRAS');

/** The controller of the pages: each module has its own class. */
export const PAGES_CONTROLLER: InjectionToken<Type> = Symbol('DASHBOARD_PAGES');

/** The controller for unknown paths below the API: each module has its own class. */
export const NOT_FOUND_CONTROLLER: InjectionToken<Type> = Symbol('DASHBOARD_NOT_FOUND');
