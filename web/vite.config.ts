import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin, type Rolldown } from 'vite';
import { clientMethods } from '../engine/client/methods.ts';
import { languageOf } from '../engine/contract/languages.ts';
import { translatedTexts } from './texts/plugin.ts';

/** Where `npm run dev:web` finds the API that its pages ask. */
const API = 'http://127.0.0.1:4000';

const { version } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string };

/** The client's methods as data, computed now: with the schemas they come from, they were a third of every page. */
const plainMethods: Plugin = {
  name: 'plain-methods',
  load(id) {
    if (!id.endsWith('/engine/client/methods.ts')) return null;
    return `export const clientMethods = ${JSON.stringify(clientMethods)};`;
  },
};

/** Packages that every page needs. */
const FRAMEWORK =
  /\/node_modules\/(react|react-dom|scheduler|wouter|regexparam|@tanstack|use-sync-external-store|eventsource-parser|p-retry|is-network-error)\//;

/** Modules of the page of a receipt, except its verification and its details. Pages that show parts of it load it whole. */
const RECEIPT = /\/web\/src\/pages\/receipt\/(?!verify\/|details|terms|attached-codes)/;

/** The picture of a sale's money, which the start page has, too, and what follows a sale. */
const FLOW = /\/web\/src\/(components\/money-flow|live)[.]|\/engine\/core\/self-referral[.]ts$/;

/** Pages that must have a module in common before all pages load it. */
const MIN_PAGES = 5;

/**
 * True for a module of ours that needs no package but those of every page: all pages can load it together with the
 * others of its kind, as one file.
 */
function isLight(
  id: string,
  modules: { getModuleInfo(id: string): Rolldown.ModuleInfo | null },
  known = new Map<string, boolean>(),
): boolean {
  const before = known.get(id);
  if (before !== undefined) return before;
  if (!/\/(web\/src|engine)\//.test(id)) return FRAMEWORK.test(id) || !id.includes('node_modules');
  // Until it is known: modules may import each other.
  known.set(id, true);
  const imported = modules.getModuleInfo(id)?.importedIds ?? [];
  const result = imported.every((one) => isLight(one, modules, known));
  known.set(id, result);
  return result;
}

/** The mode of a build is the language of its texts: English unless another one is named. */
export default defineConfig(({ mode }) => ({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [plainMethods, languageOf(mode) === 'en' ? [] : translatedTexts(mode), react()],
  define: { __VERSION__: JSON.stringify(version) },
  build: {
    manifest: true,
    // All styles are 9 kB: one request.
    cssCodeSplit: false,
    // Browsers that know light-dark().
    target: ['chrome123', 'firefox121', 'safari17.5'],
    // The policy of the pages lets no data: URI in.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // A page is its own file and two that all share: each request costs more than the bytes that a page does not need.
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            {
              name: 'framework',
              test: (id) => FRAMEWORK.test(id) || id.includes('rolldown/runtime'),
            },
            { name: 'receipt', test: RECEIPT },
            { name: 'flow', test: FLOW },
            {
              debugName: 'shared',
              name: (id, modules) => (isLight(id, modules) ? 'shared' : null),
              minShareCount: MIN_PAGES,
            },
          ],
        },
      },
    },
  },
  // The API accepts writes from its own pages alone.
  server: { proxy: { '/v1': { target: API, headers: { origin: API } }, '/media': API } },
}));
