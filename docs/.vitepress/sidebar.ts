import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { DefaultTheme } from 'vitepress';

const DOCS = fileURLToPath(new URL('..', import.meta.url));

/** The sidebar, in the order in which a newcomer reads. The titles come from the pages. */
export const sidebar: DefaultTheme.SidebarItem[] = [
  group('Start', 'start', ['why', 'comparison', 'install', 'quick-start-nest', 'quick-start', 'concepts']),
  {
    text: 'Guides',
    collapsed: false,
    items: [
      page('guides/index', 'All guides'),
      group('The basics', 'guides', [
        'enqueueing',
        'enqueue-from-sql',
        'handlers',
        'failures',
        'failures-by-error',
        'queues-and-delays',
        'unique-jobs',
        'ordered-jobs',
        'publishing-events',
        'recurring',
        'cancelling',
        'expiring-jobs',
        'results-and-progress',
        'job-logs',
      ]),
      group('Load and fairness', 'guides', ['rate-limits', 'full-queues', 'fair-sharing', 'tenants']),
      group('Correctness', 'guides', [
        'idempotent-handlers',
        'transactional-handlers',
        'ambient-transactions',
        'other-clients',
        'named-locks',
      ]),
      group('Durable steps', 'guides', ['durable-steps', 'between-steps', 'durable-recipes']),
      group('Larger workloads', 'guides', [
        'groups',
        'batch-handlers',
        'payload-versions',
        'codecs',
        'several-data-sources',
        'sharing-definitions',
      ]),
      group('Observing and testing', 'guides', [
        'events',
        'alerting',
        'browsing',
        'one-job',
        'bulk-operations',
        'dashboard',
        'type-checks',
        'testing',
      ]),
      group('Moving to Tablequeue', 'guides', [
        'moving-from-bullmq',
        'importing-from-bullmq',
        'moving-from-pg-boss-or-sidequest',
        'moving-from-the-mysql-recipe',
      ]),
    ],
  },
  group('Operate', 'operate', [
    'production-checklist',
    'sizing',
    'roles',
    'start-and-stop',
    'workers',
    'docker-kubernetes-pm2',
    'upgrades',
    'restoring-a-backup',
    'health',
    'alerts',
    'metrics',
    'troubleshooting',
    'faq',
    'cli',
    'retention',
    'redaction',
    'security',
    'scale',
  ]),
  {
    text: 'Reference',
    collapsed: false,
    items: [
      page('reference/configuration'),
      page('reference/errors'),
      page('reference/job-states'),
      page('reference/tables'),
      page('reference/row-format'),
      page('reference/databases'),
      page('reference/supported-versions'),
      { ...page('reference/api/index', 'API'), collapsed: true, items: entryPoints() },
    ],
  },
  {
    text: 'Internals',
    collapsed: true,
    items: [
      page('architecture'),
      ...[
        'guarantees',
        'crashes',
        'claim-strategies',
        'dead-workers',
        'verify',
        'performance',
        'soak',
        'features',
        'dashboard-before-and-after',
        'durable-comparison',
      ].map((name) => page(`internals/${name}`)),
      page('decisions/index'),
    ],
  },
];

function group(text: string, folder: string, names: readonly string[]): DefaultTheme.SidebarItem {
  return { text, collapsed: text !== 'Start', items: names.map((name) => page(`${folder}/${name}`)) };
}

/** The entry points of the packages, as TypeDoc has listed them. */
function entryPoints(): DefaultTheme.SidebarItem[] {
  const index = `${DOCS}reference/api/index.md`;
  const text = existsSync(index) ? readFileSync(index, 'utf8') : '';
  return [...text.matchAll(/^- \[(.+?)\]\((.+?)\/index\.md\)$/gm)].map(([, name, path]) => ({
    text: name,
    link: `/reference/api/${path}/`,
  }));
}

function page(path: string, text?: string): DefaultTheme.SidebarItem {
  return { text: text ?? titleOf(path), link: `/${path}`.replace(/\/index$/, '/') };
}

function titleOf(path: string): string {
  const file = `${DOCS}${path}.md`;
  const [, title] = /^# (.+)$/m.exec(readFileSync(file, 'utf8')) ?? [];
  if (!title) {
    throw new Error(`docs/${path}.md has no title: start it with "# ".`);
  }
  return title.replaceAll('`', '');
}

function linksOf({ link, items = [] }: DefaultTheme.SidebarItem): (string | undefined)[] {
  return [link, ...items.flatMap(linksOf)];
}

const linked = new Set(sidebar.flatMap(linksOf));
const missing = readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
  // docs/index.md is the home page. Two pages have a list of their own of the others in their folder.
  .filter((file) => /^(?!index|\.vitepress|decisions\/\d|reference\/api\/).*\.md$/.test(file))
  .map((file) => `/${file}`.replace(/(index)?\.md$/, ''))
  .filter((link) => !linked.has(link));
if (missing.length > 0) {
  throw new Error(`Add these pages to docs/.vitepress/sidebar.ts: ${missing.join(', ')}`);
}
