import { readFile, stat } from 'node:fs/promises';
import type { Env } from '../../env.ts';
import {
  type BundleBlock,
  type BundleVerification,
  MAX_BUNDLE_BYTES,
  verifyBundle,
} from '../../verify/bundle/index.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { out, style } from '../output.ts';
import { trustedChain } from '../trusted-chain.ts';
import { exitCodeOf, verdictMarks } from '../verdict.ts';

export interface VerifyBundleOptions {
  readonly file: string;
  readonly blockHash: readonly `0x${string}`[];
  readonly contract?: `0x${string}`;
  readonly chainId?: string;
  readonly json?: boolean;
}

/**
 * Runs `tributary verify-bundle`: checks a receipt bundle offline, against block hashes and a contract
 * that the user knows (docs/reference/bundle.md). Exits 0 if every check passes, 1 if one fails, 3 if one could
 * not be made.
 */
export async function runVerifyBundle(env: Env, options: VerifyBundleOptions): Promise<void> {
  const file = await readBundleFile(options.file);
  const known = await trustedChain(env);
  const chainId = options.chainId === undefined ? undefined : Number(options.chainId);
  const verification = verifyBundle(file, {
    blockHashes: options.blockHash,
    // Another contract may be on another chain than the one that runs here.
    ...(options.contract === undefined
      ? { contractAddress: known.contractAddress, chainId: chainId ?? known.chainId }
      : { contractAddress: options.contract, chainId }),
  });
  process.exitCode = exitCodeOf(verification);
  if (options.json === true) out.json(verification);
  else print(verification, options.file);
}

/** Reads the file. @throws {CommandError} if it cannot be read, or is too large for a bundle. */
async function readBundleFile(path: string): Promise<Uint8Array> {
  try {
    const { size } = await stat(path);
    if (size <= MAX_BUNDLE_BYTES) return await readFile(path);
  } catch (error) {
    throw new CommandError(`The file ${path} cannot be read: ${reasonOf(error)}.`, exitCodes.usage);
  }
  throw new CommandError(`The file ${path} is larger than any bundle: ${MAX_BUNDLE_BYTES} bytes.`);
}

function reasonOf(error: unknown): string {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  const known: Readonly<Record<string, string>> = {
    ENOENT: 'it does not exist',
    EACCES: 'permission denied',
    EISDIR: 'it is a folder',
  };
  return known[String(code)] ?? String(code);
}

const VOUCHED: Readonly<Record<BundleBlock['vouched'], string>> = {
  given: style.green('given   '),
  linked: style.green('linked  '),
  open: style.yellow('open    '),
};

function print(
  { saleId, chainId, contractAddress, verdict, checks, blocks }: BundleVerification,
  file: string,
): void {
  const what =
    saleId === null
      ? 'not a receipt bundle'
      : `sale ${saleId} of contract ${contractAddress}, labelled chain ${chainId}`;
  out.print(`${file}: ${what}`, '');
  for (const { name, status, message } of checks) {
    out.print(`  ${verdictMarks[status]}  ${style.bold(name.padEnd(11))}  ${message}`);
  }
  if (blocks.length > 0) {
    out.print('', 'The result is valid if these blocks are on the chain:', '');
  }
  for (const { number, hash, timestamp, vouched } of blocks) {
    out.print(`  ${VOUCHED[vouched]}  ${hash}  block ${number}, ${timestamp}`);
  }
  if (blocks.some(({ vouched }) => vouched === 'open')) {
    out.print(
      '',
      'Look up the hash of each open block by its number in another source, and pass it with --block-hash.',
    );
  }
  out.print('', verdictMarks[verdict].trim());
}
