// Which way imports lead, read by dependency-cruiser: `npm run lint:imports`. It parses with SWC, so type imports count too.
// Import cycles are found by oxlint (`import/no-cycle`).

const PACKAGE = '^packages/typeorm/src';
const FOUNDATION = '(?:definition/|codec/|errors/|retry/|async/|(?:duration|option-advice|options)\\.ts$)';
const STAGES = [
  'enqueue',
  'expiry',
  'claim',
  'complete',
  'groups',
  'repair',
  'finished',
  'workers',
  'schedules',
  'actions',
  'alerts',
  'steps',
  'reports',
  'graph',
  'browse',
  'bulk',
  'ordered',
  'events',
  'imports',
];

export default {
  forbidden: [
    ...allowedPackages({
      typeorm: [],
      verify: ['typeorm'],
      nestjs: ['typeorm'],
      dashboard: ['nestjs', 'typeorm'],
      cli: ['typeorm', 'verify'],
    }),
    {
      name: 'packages-only-by-name',
      comment: 'A package is used through its entry points, as in an application.',
      from: { path: '^packages/([^/]+)/' },
      to: {
        path: '^packages/[^/]+/',
        pathNot: ['^packages/$1/', '/src/(?:index|internal)\\.ts$', '^packages/[^/]+/src/[^/]+/index\\.ts$'],
      },
    },
    {
      name: 'store-stages-import-only-base',
      comment: 'Stages of the store do not know one another. Move what two of them need to store/base.',
      from: { path: `${PACKAGE}/store/(${STAGES.join('|')})/` },
      to: { path: `${PACKAGE}/store/`, pathNot: `${PACKAGE}/store/($1|base)/` },
    },
    {
      name: 'store-base-imports-no-stage',
      comment: 'store/base is below the stages.',
      from: { path: `${PACKAGE}/store/base/` },
      to: { path: `${PACKAGE}/store/(?!base/)` },
    },
    {
      name: 'store-has-only-stages',
      comment: 'A file of the store belongs to one stage, or to store/base.',
      from: { path: `${PACKAGE}/store/(?!(?:base|${STAGES.join('|')})/)` },
      to: {},
    },
    upwards('store', ['queue', 'worker', 'testing', 'doctor', 'recurring', 'maintenance', 'lock']),
    upwards('engine', ['store', 'queue', 'worker', 'testing', 'doctor', 'recurring', 'maintenance', 'lock']),
    upwards('tables', ['store', 'queue', 'worker', 'testing', 'doctor', 'recurring', 'maintenance', 'lock']),
    upwards('migrations', ['queue', 'worker', 'testing', 'doctor', 'recurring', 'maintenance', 'lock']),
    {
      name: 'queue-imports-no-worker',
      comment: 'A process that only enqueues needs no worker.',
      from: { path: `${PACKAGE}/queue/` },
      to: { path: `${PACKAGE}/(?:worker|testing)/` },
    },
    {
      name: 'foundation-imports-nothing-above',
      comment:
        'definition, codec, errors and retry, with the helpers for durations, options and promises, are below everything else.',
      from: { path: `${PACKAGE}/${FOUNDATION}`, pathNot: '\\.spec\\.ts$' },
      to: { path: `${PACKAGE}/`, pathNot: `${PACKAGE}/${FOUNDATION}` },
    },
  ].map((rule) => ({ severity: 'error', ...rule })),
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    // SWC is called without JSX here: the dashboard's components are left to oxlint.
    exclude: { path: '(^|/)dist/|\\.tsx$' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@tablequeue/source', 'import', 'node', 'default'],
      extensions: ['.ts', '.js'],
    },
  },
};

/** Each package may import itself and those listed. */
function allowedPackages(packages) {
  return Object.entries(packages).map(([name, allowed]) => ({
    name: `packages-below-${name}`,
    comment: `packages/${name} may import ${allowed.join(', ') || 'no other package'}.`,
    from: { path: `^packages/${name}/` },
    to: { path: `^packages/(?!(?:${[name, ...allowed].join('|')})/)` },
  }));
}

function upwards(folder, above) {
  return {
    name: `${folder}-imports-nothing-above`,
    comment: 'Imports lead from queue and worker down to store, store/base and engine.',
    from: { path: `${PACKAGE}/${folder}/`, pathNot: '\\.spec\\.ts$' },
    to: { path: `${PACKAGE}/(?:${above.join('|')})/` },
  };
}
