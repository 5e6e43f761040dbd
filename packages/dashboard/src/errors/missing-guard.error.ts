import { TableQueueError } from '@tablequeue/typeorm';

/** `DashboardModule` is imported without a guard: everybody who reaches the application would see its jobs. */
export class MissingGuardError extends TableQueueError {
  constructor() {
    super(
      'DashboardModule has no guard, so everybody who reaches the application could see its jobs and their payloads. ' +
        'Name the guards of your application that let the right people in: ' +
        'DashboardModule.forRoot({ guards: [AdminGuard] }). If a global guard does, or the application is reached by ' +
        'nobody else, say so: { public: true }.',
    );
  }
}
