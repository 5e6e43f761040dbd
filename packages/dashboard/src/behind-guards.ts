import { Controller, type Type, UseGuards, VERSION_NEUTRAL } from '@nestjs/common';

import type { ResolvedExtras } from './dashboard-extras.js';

/**
 * Makes a controller of a class, at its path and behind the application's guards. Its routes are the same whatever
 * versions the application's own have.
 *
 * @param below the path below that of the dashboard.
 */
export function behindGuards(controller: Type, { path, guards }: ResolvedExtras, below: string): Type {
  Controller({ path: `${path}/${below}`, version: VERSION_NEUTRAL })(controller);
  UseGuards(...guards)(controller);
  return controller;
}
