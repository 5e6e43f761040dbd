import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import type { Engine } from '../servers/engines.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A TypeScript sample of a document. */
export interface Example {
  readonly document: string;
  /** The name of its file, without the extension: the first comment of the sample. */
  readonly name: string;
  readonly code: string;
  /** What it prints according to the document: the block of text after it. */
  readonly output: string | undefined;
  /** The compiled file. */
  readonly file: string;
}

type Compilable = Pick<Example, 'code' | 'file'>;

/**
 * The TypeScript samples of documents, in their order, to be compiled in a folder.
 *
 * @param language of their blocks: `typescript` for those that are no programs of Tablequeue alone.
 */
export async function findExamples(
  folder: string,
  documents: readonly string[],
  language: 'ts' | 'typescript' = 'ts',
): Promise<Example[]> {
  const { stdout } = await promisify(execFile)('git', ['ls-files', '--', ...documents], { cwd: ROOT });
  const examples: Example[] = [];
  for (const document of stdout.trim().split('\n')) {
    const text = await readFile(join(ROOT, document), 'utf8');
    const blocks = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$(?:\\s+^\`\`\`text\\n(.*?)^\`\`\`$)?`, 'gms');
    for (const [, code = '', output] of text.matchAll(blocks)) {
      const name = /^\/\/ ([a-z.-]+)\.ts\n/.exec(code)?.[1] ?? `example-${examples.length}`;
      examples.push({ document, name, code, output, file: join(folderOf(folder), `out/${name}.js`) });
    }
  }
  return examples;
}

function folderOf(name: string): string {
  return join(ROOT, 'test/dist', name);
}

/**
 * Compiles samples against the built packages, as the project of a user does.
 *
 * @param modules a folder with more packages.
 */
export async function compileExamples(name: string, examples: readonly Compilable[], modules?: string): Promise<void> {
  const folder = folderOf(name);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  if (modules) {
    await symlink(modules, join(folder, 'node_modules'));
  }
  await cp(join(ROOT, 'tsconfig.base.json'), join(folder, 'base.json'));
  const compilerOptions = { composite: false, incremental: false, customConditions: [], outDir: 'out', rootDir: '.' };
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: './base.json', compilerOptions, include: ['*.ts'] }),
  );
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await Promise.all(
    examples.map(({ code, file }) => writeFile(file.replace('/out/', '/').replace(/\.js$/, '.ts'), code)),
  );
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [tsc, '-p', folder]).catch((error: { stdout: string }) => {
    throw new Error(`The samples do not compile:\n${error.stdout}`);
  });
}

/** The `type` of the data source, by engine. */
const TYPES: Partial<Record<Engine, string>> = { mariadb: "'mariadb'", sqlite: "'better-sqlite3'" };

/** Changes a compiled sample, which is for MySQL, as docs/reference/databases.md describes for another database. */
export async function useEngine(file: string, engine: Engine): Promise<void> {
  // The sample as it was compiled, whatever engine it was changed for before.
  const original = `${file}.original`;
  await cp(file, original, { force: false });
  let code = await readFile(original, 'utf8');
  if (code.includes('url: process.env.DATABASE_URL')) {
    code = code.replaceAll("'mysql'", TYPES[engine] ?? "'mysql'");
    if (engine === 'sqlite') {
      code = code
        .replaceAll('url: process.env.DATABASE_URL', 'database: process.env.DATABASE_URL')
        .replace(/TableQueueModule\.forRoot\(\{/, "$& databaseType: 'better-sqlite3',");
    }
  }
  await writeFile(file, code);
}
