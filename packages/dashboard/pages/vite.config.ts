import { fileURLToPath } from 'node:url';

import { defineConfig } from 'vite';

import { mock } from './mock/plugin.js';

/*
 * Nothing is inlined, because the policy of the pages forbids inline scripts and styles, and all addresses are relative,
 * because where the dashboard is mounted is only known when it is asked for.
 */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  plugins: [mock()],
  build: {
    outDir: fileURLToPath(new URL('../dist/pages', import.meta.url)),
    emptyOutDir: true,
    target: ['chrome123', 'firefox128', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: 'licenses.md' },
  },
});
