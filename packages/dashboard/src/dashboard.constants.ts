import type { InjectionToken, Type } from '@nestjs/common';

import type { ResolvedOptions } from './dashboard-options.js';

/** The checked options. */
export const RESOLVED_OPTIONS: InjectionToken<ResolvedOptions> = Symbol('DASHBOARD_OPTIONS');

/** The controller of the pages, a class of each module's own. */
export const PAGES_CONTROLLER: InjectionToken<Type> = Symbol('DASHBOARD_PAGES');

/** The controller of what there is not below the API's path. */
export const NOTHING_CONTROLLER: InjectionToken<Type> = Symbol('DASHBOARD_NOTHING');
