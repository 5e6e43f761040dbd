import { TableQueueError } from '@tablequeue/typeorm';

/**
 * `DashboardModule` has neither `guards` nor `public: true`: everyone who can reach the application would see its jobs.
 */
export class MissingGuardError extends TableQueueError {
  constructor() {
    super(
      'DashboardModule has no guard, so everyone who can reach the application could see its jobs and payloads. ' +
        'Pass the guards of your application that check access: DashboardModule.forRoot({ guards: [AdminGuard] }). ' +
        'If a global guard checks access, or only trusted users can reach the application, set { public: true }.',
    );
  }
}
