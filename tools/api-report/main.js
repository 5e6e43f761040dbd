/*
 * Compares the public API of the packages with the reports in `packages/<name>/api`: `npm run lint:api`.
 * With `--update` it writes them: `npm run api`. Both read the built types, without what is `@internal`.
 */
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';

const isUpdate = process.argv.includes('--update');
const root = resolve('.');
const temporary = mkdtempSync(join(tmpdir(), 'tablequeue-api-'));
const entries = readdirSync(join(root, 'packages')).flatMap(entriesOf);
const configs = entries.map(configOf);
const compilerState = CompilerState.create(configs[0], {
  additionalEntryPoints: configs.map(({ mainEntryPointFilePath }) => mainEntryPointFilePath),
});
const problems = [...configs.flatMap(problemsOf), ...reportsWithoutEntry()];
rmSync(temporary, { recursive: true });

for (const problem of problems) console.error(problem);
if (problems.length > 0)
  console.error(
    'The public API and its reports differ. If the change is intended, run `npm run api` and commit the reports.',
  );
process.exitCode = problems.length > 0 ? 1 : 0;

/** Returns the entry points of a package for applications. */
function entriesOf(name) {
  const folder = join(root, 'packages', name);
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return Object.entries(exports)
    .filter(([path, { types }]) => types !== undefined && path !== './internal')
    .map(([path, { types }]) => ({
      folder,
      types: join(folder, types),
      file: `${path === '.' ? 'index' : path.slice(2).replaceAll('/', '-')}.api.md`,
    }));
}

function configOf({ folder, types, file }) {
  return ExtractorConfig.prepare({
    configObject: {
      projectFolder: folder,
      newlineKind: 'lf',
      mainEntryPointFilePath: types,
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target: 'ES2023',
            module: 'NodeNext',
            moduleResolution: 'NodeNext',
            types: ['node'],
            strict: true,
            skipLibCheck: false,
          },
          files: [types],
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: file,
        reportFolder: join(folder, 'api'),
        reportTempFolder: join(temporary, relative(root, folder)),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: { default: { logLevel: 'error' } },
        extractorMessageReporting: {
          default: { logLevel: 'error' },
          // The report would name lines of the source, and differ whenever one moves.
          'ae-forgotten-export': { logLevel: 'none' },
          'ae-missing-release-tag': { logLevel: 'none' },
          'ae-undocumented': { logLevel: 'none' },
          'ae-unresolved-link': { logLevel: 'none' },
        },
        tsdocMessageReporting: { default: { logLevel: 'none' } },
      },
    },
    packageJsonFullPath: join(folder, 'package.json'),
  });
}

function problemsOf(config) {
  mkdirSync(config.reportFolder, { recursive: true });
  const messages = [];
  const { apiReportChanged } = Extractor.invoke(config, {
    compilerState,
    localBuild: isUpdate,
    printApiReportDiff: !isUpdate,
    messageCallback(message) {
      const isDifference = message.messageId === 'console-api-report-diff';
      if (message.logLevel === ExtractorLogLevel.Error) messages.push(message.formatMessageWithLocation(root));
      if (isDifference) messages.push(message.text);
      message.handled = true;
    },
  });
  return apiReportChanged && !isUpdate ? [relative(root, config.reportFilePath), ...messages] : messages;
}

/** A report whose entry point is gone is removed, or named. */
function reportsWithoutEntry() {
  const expected = new Set(configs.map(({ reportFilePath }) => reportFilePath));
  const folders = new Set(configs.map(({ reportFolder }) => reportFolder));
  const left = [...folders].flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)));
  const stale = left.filter((path) => !expected.has(path));
  if (!isUpdate) return stale.map((path) => `${relative(root, path)} has no entry point`);
  for (const path of stale) rmSync(path);
  return [];
}
