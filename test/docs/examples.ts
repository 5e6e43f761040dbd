import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** One piece of TypeScript in a document. */
export interface Example {
  readonly document: string;
  /** Its file's, without the ending: the first comment says it. */
  readonly name: string;
  readonly code: string;
  /** What the document says it prints: the block of text behind it. */
  readonly output: string | undefined;
  /** Where it is compiled to. */
  readonly file: string;
}

type Compilable = Pick<Example, 'code' | 'file'>;

/** The TypeScript in documents, in their order, and a folder of its own to compile it in. */
export async function findExamples(folder: string, documents: readonly string[]): Promise<Example[]> {
  const { stdout } = await promisify(execFile)('git', ['ls-files', '--', ...documents], { cwd: ROOT });
  const examples: Example[] = [];
  for (const document of stdout.trim().split('\n')) {
    const text = await readFile(join(ROOT, document), 'utf8');
    for (const [, code = '', output] of text.matchAll(/^```ts\n(.*?)^```$(?:\s+^```text\n(.*?)^```$)?/gms)) {
      const name = /^\/\/ ([a-z-]+)\.ts\n/.exec(code)?.[1] ?? `example-${examples.length}`;
      examples.push({ document, name, code, output, file: join(folderOf(folder), `out/${name}.js`) });
    }
  }
  return examples;
}

function folderOf(name: string): string {
  return join(ROOT, 'test/dist', name);
}

/** Compiles examples as a newcomer's project would be: against the built packages. */
export async function compileExamples(name: string, examples: readonly Compilable[]): Promise<void> {
  const folder = folderOf(name);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
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
    throw new Error(`The examples do not compile:\n${error.stdout}`);
  });
}
