import { describe, expect, test } from '@jest/globals';

import { extendPackageFile } from './package-file.js';
import { addToRootModule, allowEsModules, enableShutdownHooks } from './source-changes.js';

describe('the root module', () => {
  const add = (text: string) => addToRootModule(text, 'QueueModule', './queue/queue.module.js');
  const IMPORT = "import { Module } from '@nestjs/common';\n";
  const ADDED = `${IMPORT}import { QueueModule } from './queue/queue.module.js';\n`;

  test.each([
    ['no imports', '@Module({\n  imports: [],\n})', '@Module({\n  imports: [QueueModule],\n})'],
    [
      'imports',
      '@Module({\n  imports: [\n    Shop,\n  ],\n})',
      '@Module({\n  imports: [QueueModule, \n    Shop,\n  ],\n})',
    ],
    ['no list', '@Module({\n  providers: [],\n})', '@Module({\n  imports: [QueueModule],\n  providers: [],\n})'],
  ])('with %s', (_what, before, after) => {
    expect(add(IMPORT + before)).toBe(ADDED + after);
  });

  test.each([
    ['imports behind other options', `${IMPORT}@Module({ providers: [], imports: [] })`],
    ['options of a variable', `${IMPORT}@Module(options)`],
    ['no decorator', IMPORT],
  ])('with %s stays as it is', (_what, text) => {
    expect(add(text)).toBeUndefined();
  });
});

test('shutdown hooks are enabled once', () => {
  const before = '  const app = await NestFactory.create(AppModule);\n  await app.listen(3000);\n';
  const after = enableShutdownHooks(before);
  expect(after).toContain('AppModule);\n  app.enableShutdownHooks();\n  await app.listen');
  expect(enableShutdownHooks(after ?? '')).toBe(after);
  expect(enableShutdownHooks('bootstrap(AppModule);')).toBeUndefined();
});

test('ES modules are allowed where the settings do not allow them', () => {
  expect(allowEsModules('{\n  "compilerOptions": {\n    "module": "commonjs"\n  }\n}')).toBe(
    '{\n  "compilerOptions": {\n    "esModuleInterop": true,\n    "module": "commonjs"\n  }\n}',
  );
  const modern = '{\n  "compilerOptions": {\n    "module": "nodenext"\n  }\n}';
  expect(allowEsModules(modern)).toBe(modern);
});

describe('package.json', () => {
  const options = { sourceRoot: 'src', database: 'mysql', health: true, dashboard: false } as const;
  const extended = (file: object) => JSON.parse(extendPackageFile(JSON.stringify(file), options, '1.2.3')) as object;

  test('gets releases that fit the release of Nest', () => {
    const of = (core: string) => extended({ dependencies: { '@nestjs/core': core } });
    expect(of('^10.0.0')).toMatchObject({ dependencies: { '@nestjs/terminus': '^11.0.0', typeorm: '^0.3.20' } });
    expect(of('~11.1.0')).toMatchObject({ dependencies: { '@nestjs/schedule': '^6.0.0', typeorm: '^1.0.0' } });
    expect(of('latest')).toMatchObject({ dependencies: { '@nestjs/typeorm': '^12.0.0' } });
  });

  test('keeps what it has', () => {
    const own = {
      dependencies: { typeorm: '0.3.27' },
      jest: { transformIgnorePatterns: [] },
      scripts: { build: 'tsc' },
    };
    expect(extended(own)).toMatchObject(own);
    expect(extended({})).not.toHaveProperty('jest');
  });
});
