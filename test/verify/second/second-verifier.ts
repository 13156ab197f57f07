import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
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

/** A second verifier that runs. */
export interface SecondVerifier<Asked> {
  /** Its opinions on questions, in their order. What it has read of a chain is forgotten before. This process may serve its RPC. */
  opinions(questions: readonly Asked[]): Promise<readonly Opinion[]>;
  stop(): Promise<void>;
}

/** Starts the second verifier of bundles. */
export function startSecondVerifier(): SecondVerifier<Question> {
  const { opinions, stop } = start<object>(program);
  return {
    opinions: (questions) =>
      opinions(
        questions.map(({ file, trust: { contractAddress, chainId, blockHashes } }) => ({
          file,
          contract: contractAddress ?? null,
          chainId: chainId ?? null,
          blockHashes,
        })),
      ),
    stop,
  };
}

/** Starts the second verifier of receipts. */
export function startSecondVerifierOfSales(): SecondVerifier<SaleQuestion> {
  return start(programForReceipts);
}

/** One process for all questions of a test file: it remembers hashes, which are most of its time. */
function start<Asked extends object>(script: string): SecondVerifier<Asked> {
  const child = spawn('python3', ['-B', script, 'batch'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async opinions(questions) {
      child.stdin.write('\n');
      for (const question of questions) child.stdin.write(`${JSON.stringify(question)}\n`);
      const opinions: Opinion[] = [];
      for (const _ of questions) {
        const { value, done } = await lines.next();
        if (done === true) throw new Error('the second verifier ended');
        opinions.push(JSON.parse(value));
      }
      return opinions;
    },
    async stop() {
      child.stdin.end();
      await closed;
    },
  };
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
  const { stdout } = spawnSync('python3', ['-B', program, 'encodings'], {
    input: encodings.map((one) => `${JSON.stringify(one)}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  });
  const lines = stdout.split('\n').filter((line) => line !== '');
  if (lines.length !== encodings.length) throw new Error('the second verifier ended');
  return lines.map((line) => JSON.parse(line));
}

/** Checks the vectors of a folder with the second verifier; returns what it prints. */
export function secondVectors(folder: string): string {
  return spawnSync('python3', ['-B', program, 'vectors', folder], { encoding: 'utf8' }).stdout;
}
