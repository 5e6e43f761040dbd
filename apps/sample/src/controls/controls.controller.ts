import { setImmediate as nextTick } from 'node:timers/promises';

import {
  BadRequestException,
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  ParseIntPipe,
  Post,
  Put,
} from '@nestjs/common';
import { type JobSnapshot, type JobSummary, TableQueue, type WorkerActivity } from '@tablequeue/typeorm';
import { z } from 'zod';

import { AlertInbox, type ShownAlert } from '../alerts/alert-inbox.js';
import { Customers } from '../demo/customers.js';
import { type Mood, Receiver } from '../payments/receiver.js';
import { Workers, nameOf } from '../workers/workers.js';

const burst = z.object({ count: z.int().min(1).max(200) });
const health = z.object({ mood: z.enum(['a little unwell', 'failing']) });
const size = z.object({ count: z.int().min(0).max(6) });

/** A job as the page shows it. */
export interface ShownJob {
  readonly id: string;
  readonly name: string;
  readonly key: string | undefined;
  readonly state: string;
  readonly attempt: number;
}

/** A worker as the page shows it. */
export interface ShownWorker {
  readonly name: string;
  readonly pid: number;
  /** Whether it has started to claim jobs. */
  readonly isReady: boolean;
  /** The jobs that it runs. */
  readonly jobs: readonly ShownJob[];
}

/** `GET /controls`. */
export interface Controls {
  readonly receiver: Mood;
  /** The alerts of the queue that came last. */
  readonly alerts: readonly ShownAlert[];
  readonly workers: readonly ShownWorker[];
  /** The jobs of the workers that were killed last, with their current states. */
  readonly killed: readonly { readonly name: string; readonly jobs: readonly ShownJob[] }[];
}

/**
 * The API of the shop's page. Pages of other sites cannot use it: browsers send a PUT, a DELETE or JSON to another
 * origin only if that origin allows it, and this one does not.
 */
@Controller('controls')
export class ControlsController {
  constructor(
    private readonly queue: TableQueue,
    private readonly customers: Customers,
    private readonly receiver: Receiver,
    private readonly workers: Workers,
    private readonly alerts: AlertInbox,
  ) {}

  @Get()
  async show(): Promise<Controls> {
    const rows = new Map<number, WorkerActivity>(
      (await this.queue.activity.workers({ jobs: 100 })).map((row) => [row.pid, row]),
    );
    return {
      receiver: this.receiver.mood,
      alerts: this.alerts.received,
      workers: this.workers.list().map((pid) => {
        const row = rows.get(pid);
        return { name: nameOf(pid), pid, isReady: row !== undefined, jobs: (row?.running ?? []).map(shown) };
      }),
      killed: await Promise.all(
        this.workers.killed.map(async ({ name, jobs }) => ({ name, jobs: await this.jobs(jobs) })),
      ),
    };
  }

  @Post('orders')
  async order(@Body() body: unknown): Promise<{ readonly orders: readonly number[] }> {
    const { count } = checked(burst, body);
    const orders: number[] = [];
    while (orders.length < count) {
      orders.push(await this.customers.placeOrder());
      // The driver of SQLite is synchronous, so without this no other request would be handled meanwhile.
      await nextTick();
    }
    return { orders };
  }

  @Put('receiver')
  @HttpCode(204)
  setMood(@Body() body: unknown): void {
    this.receiver.mood = checked(health, body).mood;
  }

  @Put('workers')
  @HttpCode(204)
  scale(@Body() body: unknown): void {
    this.workers.scale(checked(size, body).count);
  }

  @Delete('workers/:pid')
  @HttpCode(204)
  kill(@Param('pid', ParseIntPipe) pid: number): Promise<void> {
    return this.workers.kill(pid);
  }

  private async jobs(ids: readonly string[]): Promise<ShownJob[]> {
    const found = await Promise.all(ids.map((id) => this.queue.find(id)));
    return found.flatMap((job) => (job ? [shown(job)] : []));
  }
}

function shown({ id, name, key, state, attempt }: JobSnapshot | JobSummary): ShownJob {
  return { id, name, key, state, attempt };
}

function checked<Schema extends z.ZodType>(schema: Schema, body: unknown): z.infer<Schema> {
  const { data, error } = schema.safeParse(body);
  if (error) {
    throw new BadRequestException(z.prettifyError(error));
  }
  return data;
}
