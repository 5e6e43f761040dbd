import { readFileSync } from 'node:fs';

import { extendPackageFile, isEsModule } from './package-file.js';
import type { Application, NestAddOptions, SchematicContext, Tree } from './schematic.js';
import { addToRootModule, allowEsModules, enableShutdownHooks } from './source-changes.js';
import { templates } from './templates.js';

/** All packages of Tablequeue have the same version. */
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

/**
 * The schematic of `nest add @tablequeue/nestjs`: adds a module with a sample job, its handler and test, a migration,
 * and the packages they need. Files that exist stay as they are.
 */
export function nestAdd(options: NestAddOptions): (tree: Tree, context: SchematicContext) => void {
  return (tree, context) => {
    const module = `${options.sourceRoot}/queue/queue.module.ts`;
    if (tree.exists(module)) {
      context.logger.warn(`Nothing was changed: ${module} exists. Remove the folder to add the queue again.`);
      return;
    }
    const manifest = tree.readText('package.json');
    const sources = textsBelow(tree, options.sourceRoot);
    const application: Application = {
      ...options,
      js: isEsModule(manifest) ? '.js' : '',
      hasTypeOrm: sources.some((text) => text.includes('TypeOrmModule.forRoot')),
      hasScheduler: sources.some((text) => text.includes('ScheduleModule.forRoot')),
      timestamp: Date.now(),
    };
    for (const [path, content] of Object.entries(templates(application))) {
      const file = `${options.sourceRoot}/${path}`;
      if (tree.exists(file)) {
        context.logger.warn(`${file} exists and stays as it is.`);
      } else {
        tree.create(file, content);
      }
    }
    tree.overwrite('package.json', extendPackageFile(manifest, options, version));
    change(tree, 'tsconfig.json', allowEsModules);
    const { js } = application;
    const root = `${options.sourceRoot}/app.module.ts`;
    if (!change(tree, root, (text) => addToRootModule(text, 'QueueModule', `./queue/queue.module${js}`))) {
      context.logger.warn(`Add QueueModule of ${module} to the imports of your root module.`);
    }
    if (!change(tree, `${options.sourceRoot}/main.ts`, enableShutdownHooks)) {
      context.logger.warn('Call app.enableShutdownHooks() where you create the application.');
    }
    if (application.hasTypeOrm) {
      context.logger.warn(
        'In the options of TypeOrmModule, set autoLoadEntities: true, and add the migration of ' +
          `${options.sourceRoot}/database to your migrations.`,
      );
    }
    // With scripts: better-sqlite3 gets or builds its binary with one.
    const install = { name: 'node-package', options: { command: 'install', allowScripts: true } };
    context.addTask({ toConfiguration: () => install });
  };
}

/** @returns false if the file does not exist, or the change does not know what to change. */
function change(tree: Tree, path: string, edit: (text: string) => string | undefined): boolean {
  const changed = tree.exists(path) ? edit(tree.readText(path)) : undefined;
  if (changed === undefined) {
    return false;
  }
  tree.overwrite(path, changed);
  return true;
}

function textsBelow(tree: Tree, folder: string): string[] {
  const paths: string[] = [];
  tree.getDir(folder).visit((path) => {
    if (path.endsWith('.ts')) {
      paths.push(path);
    }
  });
  return paths.map((path) => tree.readText(path));
}
