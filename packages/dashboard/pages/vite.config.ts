import { fileURLToPath } from 'node:url';

import { defineConfig } from 'vite';

import { mock } from './mock/plugin.js';

/*
 * Nothing is inlined, because the content security policy forbids inline scripts and styles. All URLs are relative,
 * because the path of the dashboard is only known at run time.
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
