import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Where `npm run dev:web` finds the API that its pages ask. */
const API = 'http://127.0.0.1:4000';

const { version } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string };

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react()],
  define: { __VERSION__: JSON.stringify(version) },
  build: {
    manifest: true,
    // Browsers that know light-dark().
    target: ['chrome123', 'firefox121', 'safari17.5'],
    // The policy of the pages lets no data: URI in.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { proxy: { '/v1': API, '/media': API } },
});
