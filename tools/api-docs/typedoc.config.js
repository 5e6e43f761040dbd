import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { Converter, ReflectionKind } from 'typedoc';

const PACKAGES = fileURLToPath(new URL('../../packages/', import.meta.url));
/** Entry points for the project's other packages only. */
const NOT_PUBLIC = new Set(['./package.json', './internal', './doctor']);

/** The public entry points: the name that users import, and the file. */
const entryPoints = ['typeorm', 'nestjs', 'dashboard'].flatMap((folder) => {
  const { name, exports } = JSON.parse(readFileSync(`${PACKAGES}${folder}/package.json`, 'utf8'));
  return Object.entries(exports)
    .filter(([path]) => !NOT_PUBLIC.has(path))
    .map(([path, conditions]) => ({
      name: name + path.slice(1),
      file: folder + conditions['@tablequeue/source'].slice(1),
    }));
});

/** Names the modules as users import them. TypeDoc takes their names from their paths. */
function nameModules(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.getChildrenByKind(ReflectionKind.Module)) {
      const entryPoint = entryPoints.find(({ file }) => file.replace(/(\/index)?\.ts$/, '') === module.name);
      if (!entryPoint) {
        throw new Error(`The module ${module.name} is no entry point of a package.`);
      }
      module.name = entryPoint.name;
    }
  });
}

/** @type {Partial<import('typedoc').TypeDocOptions> & Partial<import('typedoc-plugin-markdown').PluginOptions>} */
export default {
  plugin: ['typedoc-plugin-markdown', nameModules],
  tsconfig: 'tsconfig.json',
  entryPoints: entryPoints.map(({ file }) => PACKAGES + file),
  basePath: PACKAGES,
  out: '../../docs/reference/api',
  name: 'API',
  readme: 'none',
  logLevel: 'Warn',
  // The repository's own compiler checks the types.
  skipErrorChecking: true,
  excludeInternal: true,
  excludePrivate: true,
  excludeProtected: true,
  excludeExternals: true,
  disableSources: true,
  githubPages: false,
  router: 'member',
  membersWithOwnFile: ['Class', 'Interface', 'Function', 'TypeAlias'],
  entryFileName: 'index',
  modulesFileName: 'index',
  hideBreadcrumbs: true,
  hidePageHeader: true,
  useCodeBlocks: true,
  sanitizeComments: true,
  expandObjects: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  enumMembersFormat: 'table',
};
