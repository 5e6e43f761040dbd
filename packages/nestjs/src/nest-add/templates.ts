import type { Application } from './schematic.js';

/** The files that the schematic creates, by their path below the folder of the sources. */
export function templates(application: Application): Record<string, string> {
  const { timestamp, hasTypeOrm, health, dashboard } = application;
  return {
    'queue/queue.module.ts': queueModule(application),
    'queue/greet.job.ts': GREET_JOB,
    'queue/greeter.ts': greeter(application),
    'queue/greeter.spec.ts': greeterSpec(application),
    [`database/${timestamp}-add-table-queue.ts`]: migration(timestamp),
    ...(!hasTypeOrm && { 'database/data-source.ts': dataSource(application) }),
    ...(health && { 'queue/health.controller.ts': HEALTH_CONTROLLER }),
    ...(dashboard && { 'queue/staff.guard.ts': STAFF_GUARD }),
  };
}

function queueModule({ js, hasTypeOrm, hasScheduler, health, dashboard }: Application): string {
  const imports = [
    importOf('Module', '@nestjs/common'),
    !hasScheduler && importOf('ScheduleModule', '@nestjs/schedule'),
    health && importOf('TerminusModule', '@nestjs/terminus'),
    !hasTypeOrm && importOf('TypeOrmModule', '@nestjs/typeorm'),
    dashboard && importOf('DashboardModule', '@tablequeue/dashboard'),
    importOf('TableQueueModule', '@tablequeue/nestjs'),
    health && importOf('TableQueueHealthIndicator', '@tablequeue/nestjs/health'),
    !hasTypeOrm && importOf('options', `../database/data-source${js}`),
    importOf('Greeter', `./greeter${js}`),
    health && importOf('HealthController', `./health.controller${js}`),
    dashboard && importOf('StaffGuard', `./staff.guard${js}`),
  ];
  const modules = [
    !hasScheduler && 'ScheduleModule.forRoot(), // once in the application: it runs the maintenance of the queue',
    !hasTypeOrm && 'TypeOrmModule.forRoot({ ...options, autoLoadEntities: true }), // adds the entities of the queue',
    'TableQueueModule.forRoot(),',
    dashboard && 'DashboardModule.forRoot({ guards: [StaffGuard] }),',
    health && 'TerminusModule,',
  ];
  return `${lines(imports, '')}
@Module({
  imports: [
${lines(modules, '    ')}  ],
  ${health ? 'controllers: [HealthController],\n  ' : ''}providers: [Greeter${health ? ', TableQueueHealthIndicator' : ''}],
})
export class QueueModule {}
`;
}

function importOf(name: string, path: string): string {
  return `import { ${name} } from '${path}';`;
}

function lines(wanted: readonly (string | false)[], indent: string): string {
  return wanted.map((line) => (line === false ? '' : `${indent}${line}\n`)).join('');
}

const GREET_JOB = `import { defineJob } from '@tablequeue/typeorm';

/** The code that enqueues and the handler import the same definition. */
export const greet = defineJob<{ name: string }>('greet');
`;

function greeter({ js }: Application): string {
  return `import { Injectable, Logger } from '@nestjs/common';
import { QueueHandler } from '@tablequeue/nestjs';
import { type JobPayload, TableQueue } from '@tablequeue/typeorm';
import { DataSource } from 'typeorm';
import { greet } from './greet.job${js}';

@Injectable()
export class Greeter {
  private readonly logger = new Logger(Greeter.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly queue: TableQueue,
  ) {}

  /** The job exists if and only if the transaction commits. */
  async enqueue(name: string): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      // Your own writes go here, through the same manager.
      await this.queue.enqueue(greet, { name }, { manager });
    });
  }

  /** Runs at least once for each job. */
  @QueueHandler(greet)
  greet({ name }: JobPayload<typeof greet>): string {
    this.logger.log(\`Hello, \${name}!\`);
    return \`Hello, \${name}!\`;
  }
}
`;
}

function greeterSpec({ js }: Application): string {
  return `import { Test } from '@nestjs/testing';
import { TableQueueTestingModule, testingQueue } from '@tablequeue/nestjs/testing';
import { greet } from './greet.job${js}';
import { Greeter } from './greeter${js}';

describe('Greeter', () => {
  it('greets', async () => {
    const testing = await Test.createTestingModule({
      imports: [TableQueueTestingModule.forRoot()],
      providers: [Greeter],
    }).compile();
    const app = await testing.init();
    const queue = testingQueue(app);

    await app.get(Greeter).enqueue('Ada');
    await queue.expectEnqueued(greet, { payload: { name: 'Ada' } });
    const ended = await queue.drain();
    expect(ended).toMatchObject([{ outcome: 'succeeded' }]);

    await app.close();
  });
});
`;
}

function migration(timestamp: number): string {
  return `import { downTableQueue, upTableQueue } from '@tablequeue/typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the tables of the queue. */
export class AddTableQueue${timestamp} implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await upTableQueue(queryRunner, { to: 1 });
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await downTableQueue(queryRunner, { from: 1 });
  }
}
`;
}

function dataSource({ js, timestamp, database }: Application): string {
  const connection =
    database === 'sqlite'
      ? "type: 'better-sqlite3',\n  database: process.env.DATABASE_FILE ?? 'app.sqlite',"
      : `type: '${database}',\n  url: process.env.DATABASE_URL, // ${database}://user:password@localhost:3306/app`;
  return `import { DataSource, type DataSourceOptions } from 'typeorm';
import { AddTableQueue${timestamp} } from './${timestamp}-add-table-queue${js}';

export const options: DataSourceOptions = {
  ${connection}
  migrations: [AddTableQueue${timestamp}],
};

/** For the command-line tools: npm run build && npm run migration:run */
export default new DataSource(options);
`;
}

const HEALTH_CONTROLLER = `import { Controller, Get } from '@nestjs/common';
import { HealthCheck, HealthCheckService } from '@nestjs/terminus';
import { TableQueueHealthIndicator } from '@tablequeue/nestjs/health';

@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly tableQueue: TableQueueHealthIndicator,
  ) {}

  @Get()
  @HealthCheck()
  check() {
    return this.health.check([() => this.tableQueue.isHealthy('queue', { maxBacklogAge: '5m' })]);
  }
}
`;

const STAFF_GUARD = `import { type CanActivate, Injectable } from '@nestjs/common';

/** Who may see the jobs. It refuses every request until you write the check of your application. */
@Injectable()
export class StaffGuard implements CanActivate {
  canActivate(): boolean {
    return false;
  }
}
`;
