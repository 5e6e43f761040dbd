import { Controller, type Type, UseGuards, VERSION_NEUTRAL } from '@nestjs/common';

import type { ResolvedExtras } from '../options/dashboard.extras.js';

/**
 * Makes a class a controller of the dashboard, behind the guards of the application. It is neutral to the versions of
 * the application's own routes.
 *
 * @param subpath the path below the path of the dashboard.
 */
export function DashboardController({ path, guards }: ResolvedExtras, subpath: string): (controller: Type) => void {
  return (controller) => {
    Controller({ path: `${path}/${subpath}`, version: VERSION_NEUTRAL })(controller);
    UseGuards(...guards)(controller);
  };
}
