import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { BundleTrust } from '../../../engine/verify/bundle/types.ts';

const program = fileURLToPath(new URL('./verify_bundle.py', import.meta.url));
const programForReceipts = fileURLToPath(new URL('./verify_receipt.py', import.meta.url));

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

/** A receipt as a service gives it, and what its reader knows. */
export interface SaleQuestion {
  readonly rpc: string;
  readonly contract: `0x${string}`;
  readonly saleId: string;
  readonly receipt: unknown;
  /** Block of the receipt; default: the newest. */
  readonly atBlock?: number | undefined;
}

/** Asks the second verifier about many files. */
export function secondOpinions(questions: readonly Question[]): readonly Opinion[] {
  const asked = questions.map(({ file, trust: { contractAddress, chainId, blockHashes } }) => ({
    file,
    contract: contractAddress ?? null,
    chainId: chainId ?? null,
    blockHashes,
  }));
  return answersOf(program, asked);
}

/** Asks the second verifier about many receipts. */
export function secondOpinionsOfSales(questions: readonly SaleQuestion[]): readonly Opinion[] {
  return answersOf(programForReceipts, questions);
}

function answersOf(script: string, questions: readonly object[]): readonly Opinion[] {
  const { stdout, stderr, status } = spawnSync('python3', [script, 'batch'], {
    input: questions.map((question) => JSON.stringify(question)).join('\n'),
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
