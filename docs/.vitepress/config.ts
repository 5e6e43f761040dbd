import { defineConfig } from 'vitepress';
import llmstxt from 'vitepress-plugin-llms';

import { mermaid } from './mermaid.js';
import { sidebar } from './sidebar.js';

export default defineConfig({
  title: 'Tablequeue',
  description:
    'A durable job queue in the tables of your own MySQL, MariaDB or SQLite database, for TypeORM and NestJS.',
  lang: 'en',
  // The built files work on any web server, below any rewriting of addresses or none.
  cleanUrls: false,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/logo.svg' }]],
  markdown: { config: mermaid, anchor: { slugify: githubSlug } },
  themeConfig: {
    logo: '/logo.svg',
    nav: [
      { text: 'Start', link: '/start/why', activeMatch: '^/start/' },
      { text: 'Guides', link: '/guides/', activeMatch: '^/guides/' },
      { text: 'Operate', link: '/operate/production-checklist', activeMatch: '^/operate/' },
      { text: 'Reference', link: '/reference/configuration', activeMatch: '^/reference/' },
      { text: 'Internals', link: '/architecture', activeMatch: '^/(architecture|internals|decisions)' },
    ],
    sidebar,
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          searchOptions: {
            // A guide answers a question better than the signature of a function or the record of a decision.
            boostDocument: (id: string) => (/\/(api|decisions)\//.test(id) ? 0.3 : 1),
          },
        },
      },
    },
  },
  vite: {
    // The index of the search is one file, loaded with the first search.
    build: { chunkSizeWarningLimit: 3000 },
    plugins: [
      llmstxt({
        title: 'Tablequeue',
        ignoreFiles: ['reference/api/**', 'decisions/**'],
        // Nothing hidden in the pages.
        injectLLMHint: false,
        sidebar,
        // Its types are for a newer Vite than VitePress has.
      }) as never,
    ],
  },
});

/** The anchor of a heading as on GitHub, where the same pages are read. */
function githubSlug(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
