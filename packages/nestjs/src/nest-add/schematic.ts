/*
 * What a schematic uses of @angular-devkit/schematics. Nest's command line brings that package along, and an
 * application that does not run `nest add` needs nothing of it.
 */

/** The files of the application. */
export interface Tree {
  exists(path: string): boolean;
  readText(path: string): string;
  create(path: string, content: string): void;
  overwrite(path: string, content: string): void;
  getDir(path: string): Directory;
}

export interface Directory {
  visit(visitor: (path: string) => void): void;
}

export interface SchematicContext {
  readonly logger: { info(message: string): void; warn(message: string): void };
  addTask(task: { toConfiguration(): object }): unknown;
}

/** The options of `nest add @tablequeue/nestjs`, as `nest-add.schema.json` describes them. */
export interface NestAddOptions {
  readonly sourceRoot: string;
  readonly database: 'mysql' | 'mariadb' | 'sqlite';
  readonly health: boolean;
  readonly dashboard: boolean;
}

/** What the schematic has found in the application. */
export interface Application extends NestAddOptions {
  /** The ending of a relative import: ES modules need one. */
  readonly js: '.js' | '';
  readonly hasTypeOrm: boolean;
  readonly hasScheduler: boolean;
  /** The number of the migration, which orders it among others. */
  readonly timestamp: number;
}
