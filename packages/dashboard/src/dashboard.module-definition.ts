import { ConfigurableModuleBuilder } from '@nestjs/common';

import { apiController } from './api/api.controller.js';
import { nothingController } from './api/nothing.controller.js';
import { type DashboardExtras, NO_EXTRAS, RESOLVED_EXTRAS, resolveExtras } from './dashboard-extras.js';
import type { DashboardOptions } from './dashboard-options.js';
import { NOTHING_CONTROLLER, PAGES_CONTROLLER } from './dashboard.constants.js';
import { liveController } from './live/live.controller.js';
import { pagesController } from './page-files/pages.controller.js';

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN, OPTIONS_TYPE, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<DashboardOptions>({ moduleName: 'Dashboard' })
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createDashboardOptions')
    .setExtras<DashboardExtras>(NO_EXTRAS, (definition, given) => {
      const extras = resolveExtras(given);
      const [nothing, pages] = [nothingController(extras), pagesController(extras)];
      return {
        ...definition,
        // Those of forRootAsync are no extras to the builder: it has put them here itself.
        imports: [...(definition.imports ?? []), ...extras.imports],
        providers: [
          ...(definition.providers ?? []),
          { provide: RESOLVED_EXTRAS, useValue: extras },
          { provide: NOTHING_CONTROLLER, useValue: nothing },
          { provide: PAGES_CONTROLLER, useValue: pages },
        ],
        // In this order: the routes of the last two take everything below their path.
        controllers: [apiController(extras), liveController(extras), nothing, pages],
      };
    })
    .build();
