import type { Server } from 'node:http';

import { type DynamicModule, type INestApplication, Module, type ModuleMetadata } from '@nestjs/common';
import { type AbstractHttpAdapter, NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { ScheduleModule } from '@nestjs/schedule';
import { DashboardModule } from '@tablequeue/dashboard';
import type { TableQueueModuleOptions } from '@tablequeue/nestjs';
import type { TableQueue } from '@tablequeue/typeorm';
import { getTableQueueToken } from '@tablequeue/nestjs';

import type { ApplicationDatabase } from './database.js';
import { DescribedAnswers, type OpenApiDocument } from './described-answers.js';
import { dataSourceModule, queueModule } from './nest-application.js';

/** The platforms that Nest runs on. */
export const PLATFORMS = ['express', 'fastify'] as const;
export type Platform = (typeof PLATFORMS)[number];

const ADAPTERS: Readonly<Record<Platform, () => AbstractHttpAdapter>> = {
  express: () => new ExpressAdapter(),
  fastify: () => new FastifyAdapter(),
};

/**
 * How long a connection may be idle, in ms: Fastify's 72 s for Express too. After Node's 5 s a client that has not yet
 * noticed the end sends a request into it. `fetch` does not repeat a request that changes something.
 */
const KEEP_ALIVE = 72_000;

const OPEN: Parameters<typeof DashboardModule.forRoot>[0] = { public: true, role: () => 'operator' };

/** How an application with a dashboard is made. */
export interface DashboardSetup extends Pick<ModuleMetadata, 'controllers' | 'providers' | 'imports'> {
  readonly platform?: Platform;
  /** Default: public, with everybody an operator. */
  readonly dashboard?: Parameters<typeof DashboardModule.forRoot>[0] | DynamicModule;
  readonly queue?: TableQueueModuleOptions;
  /** Further databases, by the names of their data sources. */
  readonly others?: Readonly<Record<string, ApplicationDatabase>>;
  /** The headers of a user whom the guards admit. */
  readonly signedIn?: Record<string, string>;
  /** What `main.ts` does before it starts the application. */
  readonly configure?: (app: INestApplication) => void;
}

/** What the API has answered. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

/** What a request of the pages is sent with. */
const WRITE_HEADERS = { 'content-type': 'application/json', 'x-tablequeue-dashboard': '1' };

/** An application that listens, with a dashboard. */
export class DashboardApplication {
  private answers: DescribedAnswers | undefined;

  private constructor(
    readonly app: INestApplication,
    /** Without a slash at its end. */
    readonly url: string,
    private readonly signedIn: Record<string, string>,
  ) {}

  static async start(database: ApplicationDatabase, setup: DashboardSetup = {}): Promise<DashboardApplication> {
    const {
      platform = 'express',
      dashboard = OPEN,
      queue,
      others = {},
      controllers = [],
      providers = [],
      imports = [],
    } = setup;
    @Module({
      imports: [
        ScheduleModule.forRoot(),
        dataSourceModule(database),
        queueModule(database, undefined, queue),
        ...Object.entries(others).flatMap(([name, other]) => [dataSourceModule(other, name), queueModule(other, name)]),
        'module' in dashboard ? dashboard : DashboardModule.forRoot(dashboard),
        ...imports,
      ],
      controllers,
      providers,
    })
    class AppModule {}
    const app = await NestFactory.create(AppModule, ADAPTERS[platform](), { logger: false, abortOnError: false });
    setup.configure?.(app);
    (app.getHttpServer() as Server).keepAliveTimeout = KEEP_ALIVE;
    await app.listen(0, '127.0.0.1');
    return new DashboardApplication(app, (await app.getUrl()).replace(/\/$/, ''), setup.signedIn ?? {});
  }

  queue(dataSource?: string): TableQueue {
    return this.app.get(getTableQueueToken(dataSource));
  }

  /**
   * Asks the API. Every answer is held against the description that the API gives of itself.
   *
   * @param path below `/queues/api/`.
   */
  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('GET', path, { headers });
  }

  /** What a GET that succeeds answers. */
  async read<T>(path: string): Promise<T> {
    const { status, body } = await this.get(path);
    if (status !== 200) {
      throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    }
    return body as T;
  }

  /** Changes something, as the pages send it. */
  write(
    method: 'POST' | 'PUT',
    path: string,
    body: unknown = {},
    headers: Record<string, string | undefined> = {},
  ): Promise<Answer> {
    const all = Object.entries({ ...WRITE_HEADERS, ...headers }).filter(([, value]) => value !== undefined);
    return this.send(method, path, {
      headers: Object.fromEntries(all),
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  close(): Promise<void> {
    return this.app.close();
  }

  private async send(method: string, path: string, request: RequestInit): Promise<Answer> {
    const response = await fetch(`${this.url}/queues/api/${path}`, { ...request, method });
    const type = response.headers.get('content-type') ?? '';
    const body: unknown = await response.json();
    if (path !== 'openapi.json') {
      (await this.described()).check(method, path, response.status, type, body);
    }
    return { status: response.status, body, headers: response.headers };
  }

  private async described(): Promise<DescribedAnswers> {
    if (!this.answers) {
      const response = await fetch(`${this.url}/queues/api/openapi.json`, { headers: this.signedIn });
      this.answers = new DescribedAnswers((await response.json()) as OpenApiDocument);
    }
    return this.answers;
  }
}
