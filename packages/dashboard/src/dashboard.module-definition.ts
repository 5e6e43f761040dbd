import { ConfigurableModuleBuilder } from '@nestjs/common';

import { createApiController } from './api/api.controller.js';
import { createNotFoundController } from './api/not-found.controller.js';
import { NOT_FOUND_CONTROLLER, PAGES_CONTROLLER, RESOLVED_EXTRAS } from './dashboard.constants.js';
import { createLiveController } from './live/live.controller.js';
import { type DashboardExtras, NO_EXTRAS, resolveExtras } from './options/dashboard.extras.js';
import type { DashboardOptions } from './options/dashboard.options.js';
import { createPagesController } from './page-files/pages.controller.js';

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN, OPTIONS_TYPE, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<DashboardOptions>({ moduleName: 'Dashboard' })
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createDashboardOptions')
    .setExtras<DashboardExtras>(NO_EXTRAS, (definition, given) => {
      const extras = resolveExtras(given);
      const [notFound, pages] = [createNotFoundController(extras), createPagesController(extras)];
      return {
        ...definition,
        // With forRootAsync the builder has added `imports` itself: they are not extras to it.
        imports: [...(definition.imports ?? []), ...extras.imports],
        providers: [
          ...(definition.providers ?? []),
          { provide: RESOLVED_EXTRAS, useValue: extras },
          { provide: NOT_FOUND_CONTROLLER, useValue: notFound },
          { provide: PAGES_CONTROLLER, useValue: pages },
        ],
        // The order matters: the last two match every path below theirs.
        controllers: [createApiController(extras), createLiveController(extras), notFound, pages],
      };
    })
    .build();
