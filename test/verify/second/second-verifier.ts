import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { BundleTrust } from '../../../engine/verify/bundle/types.ts';

const program = fileURLToPath(new URL('./verify_bundle.py', import.meta.url));

/** Whether the second verifier can run. */
export const pythonIsInstalled =
  spawnSync('python3', ['--version'], { stdio: 'ignore' }).status === 0;

if (!pythonIsInstalled) console.warn('No python3 on the PATH: the second verifier is skipped.');

/** A file, and what its reader knows. */
export interface Question {
  readonly file: string;
  readonly trust: BundleTrust;
}

/** A verdict, and the status of each check. */
export interface Opinion {
  readonly verdict: string;
  readonly checks: Readonly<Record<string, string>>;
}

/** Asks the second verifier about many files. */
export function secondOpinions(questions: readonly Question[]): readonly Opinion[] {
  const lines = questions.map(({ file, trust: { contractAddress, chainId, blockHashes } }) =>
    JSON.stringify({
      file,
      contract: contractAddress ?? null,
      chainId: chainId ?? null,
      blockHashes,
    }),
  );
  const { stdout, stderr, status } = spawnSync('python3', [program, 'batch'], {
    input: lines.join('\n'),
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  });
  if (status !== 0) throw new Error(`the second verifier ended: ${stderr}`);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Checks the vectors of a folder with the second verifier; returns what it prints. */
export function secondVectors(folder: string): string {
  return spawnSync('python3', [program, 'vectors', folder], { encoding: 'utf8' }).stdout;
}
