import { ponder } from 'ponder:registry';

export { loadHistory } from '../../../../src/history/load.ts';

/*
 * The project that Ponder indexes. Ponder would execute its files by Vite, which has to be loaded first and makes a
 * source map of each file, the ABI included: that was two thirds of the processor time of a start. Here, they are a
 * part of Ponder's compiled files (bench/decisions.md#ponder-executes-compiled-files-without-vite).
 */

const project = {
  'ponder.config.ts': () => import('../../../../ponder.config.ts'),
  'ponder.schema.ts': () => import('../../../../ponder.schema.ts'),
  'src/index.ts': () => import('../../../../src/index.ts'),
  'src/api/index.ts': () => import('../../../../src/api/index.ts'),
};

/**
 * Executes a file of the project.
 * @param path from the project's root folder.
 * @returns as Ponder expects it.
 */
export async function executeProjectFile(path) {
  try {
    return { status: 'success', exports: await project[path]() };
  } catch (error) {
    return { status: 'error', error };
  }
}

/** Executes the indexing functions: `src/index.ts` imports the other files, which Ponder would execute one by one. */
export async function executeIndexing() {
  const result = await executeProjectFile('src/index.ts');
  return result.status === 'error' ? result : { status: 'success', functions: ponder.fns };
}
