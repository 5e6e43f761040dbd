/**
 * Adds a module to the imports of the root module.
 *
 * @returns undefined if the file differs from what Nest's command line makes.
 */
export function addToRootModule(text: string, module: string, path: string): string | undefined {
  const decorator = /@Module\(\{\s*(?:imports: \[)?/.exec(text);
  const lastImport = [...text.matchAll(/^import .*;\n/gm)].at(-1);
  if (!decorator || !lastImport) {
    return undefined;
  }
  const hasImports = decorator[0].endsWith('[');
  if (!hasImports && /\bimports:/.test(text)) {
    return undefined;
  }
  const behind = decorator.index + decorator[0].length;
  const isEmpty = /^\s*\]/.test(text.slice(behind));
  const added = hasImports ? `${module}${isEmpty ? '' : ', '}` : `imports: [${module}],\n  `;
  const imports = lastImport.index + lastImport[0].length;
  return (
    `${text.slice(0, imports)}import { ${module} } from '${path}';\n` +
    `${text.slice(imports, behind)}${added}${text.slice(behind)}`
  );
}

/**
 * Lets running jobs finish when the process is asked to stop.
 *
 * @returns undefined if the file differs from what Nest's command line makes.
 */
export function enableShutdownHooks(text: string): string | undefined {
  if (text.includes('enableShutdownHooks')) {
    return text;
  }
  const line = /^( *)const app = await NestFactory\.create.*;\n/m.exec(text);
  return line ? text.replace(line[0], `${line[0]}${line[1]}app.enableShutdownHooks();\n`) : undefined;
}

/** Turns on what the tests of CommonJS need to load ES modules. Projects of Nest 10 do not have it. */
export function allowEsModules(text: string): string {
  return /"(?:esModuleInterop|nodenext)"/i.test(text)
    ? text
    : text.replace(/"compilerOptions":\s*\{\n(\s*)/, (start, indent: string) => {
        return `${start}"esModuleInterop": true,\n${indent}`;
      });
}
