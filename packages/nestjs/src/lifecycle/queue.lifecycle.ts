import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
  Optional,
} from '@nestjs/common';
import { DiscoveryService, ModulesContainer } from '@nestjs/core';
import { SchedulerRegistry } from '@nestjs/schedule';
import { handledQueues, handlersByName, logError } from '@tablequeue/typeorm/internal';

import { MissingScheduleModuleError } from '../errors/index.js';
import { QueueEventHub } from '../events/queue-event.hub.js';
import { QueueListeners } from '../events/queue.listeners.js';
import { QueueExplorer } from '../handlers/queue.explorer.js';
import type { ResolvedModuleOptions } from '../options/table-queue.options.js';
import { type WorkShare, workShare } from '../roles/work.share.js';
import type { ScheduledService } from '../services/scheduled.service.js';
import { RESOLVED_OPTIONS, SCHEDULED_SERVICES } from '../table-queue.constants.js';
import { queueModules } from './application-queue.registry.js';
import { setHookDistance } from './hook.distance.js';
import { type MaintenanceTasks, QueueWorkerHost } from './queue-worker.host.js';
import { QueueSchedules } from './queue.schedules.js';
import { warnOfUnlistedClasses } from './unlisted-class.warnings.js';
import { warnOfUnusedQueues } from './unused-queue.warnings.js';

/**
 * Starts and stops the queue in one source, so that nothing depends on the order of hooks in different providers. The
 * hooks of this module run last at the start and first at the stop: see `setHookDistance`. On Nest 10 the stop begins
 * in `StopFirstModule`.
 *
 * - `onModuleInit` finds wrong handlers, before any job is claimed.
 * - `onApplicationBootstrap` starts the worker, after all other modules.
 * - `onModuleDestroy` stops it, before other modules close what handlers use. Enqueueing works until TypeORM closes the
 *   data source in `onApplicationShutdown`.
 */
@Injectable()
export class QueueLifecycle implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  private share: WorkShare | undefined;
  private stopping: Promise<void> | undefined;

  constructor(
    private readonly explorer: QueueExplorer,
    private readonly listeners: QueueListeners,
    private readonly hub: QueueEventHub,
    private readonly host: QueueWorkerHost,
    @Inject(SCHEDULED_SERVICES) private readonly services: readonly ScheduledService<keyof MaintenanceTasks>[],
    private readonly schedules: QueueSchedules,
    private readonly modules: ModulesContainer,
    private readonly discovery: DiscoveryService,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedModuleOptions,
    @Optional() private readonly registry?: SchedulerRegistry,
  ) {
    setHookDistance(modules, QueueLifecycle, LAST);
  }

  onModuleInit(): void {
    const { handlers, schedules } = this.explorer.explore();
    // Also those this process does not run: every process finds a wrong handler.
    handlersByName(handlers);
    this.schedules.setSchedules(schedules);
    warnOfUnusedQueues(this.options, handlers, this.listeners.listen());
    const working = lifecyclesOf(this.modules).filter(({ options }) => options.process.role.value !== 'producer');
    const all = working.flatMap(({ explorer }) => explorer.explore().handlers);
    // One of the modules warns for all.
    if (working[0] === this && this.host.runsJobs) {
      warnOfUnlistedClasses(this.discovery, this.options.logger);
    }
    this.share = workShare(this.options.process, handlers, all);
    if (this.share.handlers.length > 0 && !this.registry) {
      throw new MissingScheduleModuleError();
    }
    this.host.create(this.share.handlers);
    this.announce(this.share);
  }

  async onApplicationBootstrap(): Promise<void> {
    try {
      await this.start();
    } catch (error) {
      // Nest returns no application that the caller could close.
      await stopQueues(this.modules);
      throw error;
    }
  }

  async onModuleDestroy(): Promise<void> {
    await stopQueues(this.modules);
  }

  private async start(): Promise<void> {
    const { worker } = this.host;
    const isClosing = () => this.stopping !== undefined;
    if (!worker || isClosing()) {
      return;
    }
    await this.schedules.defineSchedules(handledQueues(this.share?.handlers ?? []));
    if (isClosing()) {
      return;
    }
    this.hub.connect(worker.events);
    // The services use its connections.
    void worker.stopRequested.then(() => this.stopOnRequest());
    await worker.start();
    if (isClosing()) {
      return;
    }
    this.services.forEach((service) => service.start());
    // It only logs, and jobs run already: a failure must not stop the start.
    await this.schedules.logForeignSchedules().catch((error: unknown) => {
      logError(this.options.logger, 'The schedules of other applications could not be read', error);
    });
  }

  /** Idempotent: Nest calls the hooks again each time the application is closed. */
  stop(): Promise<void> {
    return (this.stopping ??= this.stopOnce());
  }

  /** `queue.control.stopWorker` stops the worker. The application goes on without it. */
  private async stopOnRequest(): Promise<void> {
    try {
      await this.stop();
    } catch (error) {
      logError(this.options.logger, 'The worker could not be stopped', error);
    }
  }

  private async stopOnce(): Promise<void> {
    const { worker } = this.host;
    const running = worker?.activeJobs ?? 0;
    if (running > 0) {
      this.options.logger.log(`Waiting for ${running} running ${running === 1 ? 'job' : 'jobs'} to end`);
    }
    try {
      // The services use the worker's connections, so its deadline is theirs too.
      await Promise.all([this.host.stop(), ...this.services.map((service) => service.stop())]);
    } finally {
      this.hub.end();
    }
  }

  private announce({ handlers, text }: WorkShare): void {
    for (const { definition, source } of handlers) {
      this.options.logger.log(`Job "${definition.name}" of queue "${definition.queue}" is handled by ${source}`);
    }
    this.options.logger.log(text);
  }
}

/** Nearer to the root than the root module itself, which has 0. */
const LAST = -1;

/** Stops all queues of an application at once: otherwise one would claim jobs while another waits for its own. */
export async function stopQueues(modules: ModulesContainer): Promise<void> {
  await Promise.all(lifecyclesOf(modules).map((each) => each.stop()));
}

/** The lifecycles of all queues of an application. */
function lifecyclesOf(modules: ModulesContainer): QueueLifecycle[] {
  return queueModules(modules).map(({ module }) => module.providers.get(QueueLifecycle)?.instance as QueueLifecycle);
}
