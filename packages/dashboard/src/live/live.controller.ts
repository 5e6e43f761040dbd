import { Get, Query, Res, type Type, UseFilters } from '@nestjs/common';

import { ApiRunner } from '../api/api-runner.js';
import { type PlatformResponse, takeOver } from '../api/exchange.js';
import { markAsApi } from '../api/platform-refusals.js';
import { ProblemFilter } from '../api/problem.filter.js';
import { behindGuards } from '../behind-guards.js';
import type { ResolvedExtras } from '../dashboard-extras.js';
import { LiveStreams } from './live-streams.js';

/** The overview as server-sent events. */
export function liveController(extras: ResolvedExtras): Type {
  class DashboardLiveController {
    constructor(
      readonly runner: ApiRunner,
      readonly streams: LiveStreams,
    ) {}

    @Get()
    live(@Query() query: Record<string, string>, @Res() response: PlatformResponse): void {
      const database = this.runner.databaseOf(query);
      this.streams.assertRunning();
      this.streams.stream(takeOver(response), database);
    }
  }
  markAsApi(Reflect.get(DashboardLiveController.prototype, 'live'));
  Reflect.defineMetadata('design:paramtypes', [ApiRunner, LiveStreams], DashboardLiveController);
  UseFilters(ProblemFilter)(DashboardLiveController);
  return behindGuards(DashboardLiveController, extras, 'api/live');
}
