import { Injectable, Module, type OnModuleDestroy } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';

import { setHookDistance } from './hook.distance.js';
import { stopQueues } from './queue.lifecycle.js';

/** Further from the root than global modules. */
const FIRST = Infinity;

/** Stops the queues before the other modules of a Nest 10 application. Later releases call its hook last. */
@Injectable()
export class StopFirst implements OnModuleDestroy {
  constructor(private readonly modules: ModulesContainer) {
    setHookDistance(modules, StopFirst, FIRST);
  }

  async onModuleDestroy(): Promise<void> {
    await stopQueues(this.modules);
  }
}

/** In an application once, for all its queues. A module of its own, because the queue's must start last. */
@Module({ providers: [StopFirst] })
export class StopFirstModule {}
