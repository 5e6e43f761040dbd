import { Get, Query, Res, type Type, UseFilters } from '@nestjs/common';

import { ApiRunner } from '../api/api.runner.js';
import { flagAsApi } from '../api/platform-errors.js';
import { ProblemFilter } from '../api/problem.filter.js';
import { DashboardController } from '../http/dashboard-controller.decorator.js';
import { type PlatformResponse, takeOver } from '../http/platform-http.js';
import type { ResolvedExtras } from '../options/dashboard.extras.js';
import { LiveStreams } from './live.streams.js';

/** Makes the controller that sends the overview as server-sent events. */
export function createLiveController(extras: ResolvedExtras): Type {
  @DashboardController(extras, 'api/live')
  @UseFilters(ProblemFilter)
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
  flagAsApi(Reflect.get(DashboardLiveController.prototype, 'live'));
  return DashboardLiveController;
}
