import { TableQueueError } from '@tablequeue/typeorm';

/** The application has handlers but no `ScheduleModule`: nothing would retry jobs or free jobs of dead workers. */
export class MissingScheduleModuleError extends TableQueueError {
  constructor() {
    super(
      'TableQueueModule needs the scheduler of @nestjs/schedule. Add ScheduleModule.forRoot() to the imports of your ' +
        'root module, exactly once.',
    );
  }
}
