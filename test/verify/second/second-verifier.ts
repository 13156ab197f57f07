import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
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
  /** Absent if the chain alone is judged. */
  readonly receipt?: unknown;
  /** The chain that the reader means; default: any. */
  readonly chainId?: number | undefined;
  /** First block to search. */
  readonly startBlock?: number | undefined;
  /** Block of the receipt; default: the newest. */
  readonly atBlock?: number | undefined;
  /** Hash of block 0 of the receipt's chain. */
  readonly genesisHash?: string | undefined;
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

/** Asks the second verifier about many receipts. This process may serve its RPC meanwhile. */
export async function secondOpinionsOfSales(
  questions: readonly SaleQuestion[],
): Promise<readonly Opinion[]> {
  const child = spawn('python3', ['-B', programForReceipts, 'batch'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(linesOf(questions));
  const [stdout, [status]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (status !== 0) throw new Error(`the second verifier ended with ${status}`);
  return opinionsOf(stdout);
}

/** RLP of a header, or a receipt in the form of the receipts trie. */
export interface Encoding {
  readonly kind: 'header' | 'receipt';
  readonly encoded: `0x${string}`;
}

/**
 * What the second verifier reads of headers (hash, parent, receipts root, number, time) and of receipts (the
 * logs: address, topics, data); null for bytes that are none.
 */
export function secondReadings(encodings: readonly Encoding[]): readonly unknown[] {
  return answersOf(program, encodings, 'encodings');
}

function answersOf(script: string, questions: readonly object[], command = 'batch') {
  const { stdout, stderr, status } = spawnSync('python3', ['-B', script, command], {
    input: linesOf(questions),
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  });
  if (status !== 0) throw new Error(`the second verifier ended: ${stderr}`);
  return opinionsOf(stdout);
}

function linesOf(questions: readonly object[]): string {
  return questions.map((question) => JSON.stringify(question)).join('\n');
}

function opinionsOf(stdout: string): readonly Opinion[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Checks the vectors of a folder with the second verifier; returns what it prints. */
export function secondVectors(folder: string): string {
  return spawnSync('python3', ['-B', program, 'vectors', folder], { encoding: 'utf8' }).stdout;
}
