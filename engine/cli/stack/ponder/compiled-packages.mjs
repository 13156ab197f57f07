import { fileURLToPath } from 'node:url';

/*
 * Ponder executes our indexing functions, which import packages that are part of Ponder's compiled files.
 * They get those: reading the packages' thousand modules again would take a second.
 */

const compiled = (name) => fileURLToPath(new URL(`./${name}.mjs`, import.meta.url));

/** Vite's aliases of the compiled packages. */
export const compiledPackages = ['ponder', 'viem'].map((name) => ({
  find: new RegExp(`^${name}$`),
  replacement: compiled(name),
}));
