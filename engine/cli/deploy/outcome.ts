import { writeFile } from 'node:fs/promises';
import type { Hex } from 'viem';
import { CommandError } from '../exit-codes.ts';
import { out } from '../output.ts';
import { compilerVersion, contractName, setupAddress, setupName, standardJson } from './build.ts';

/** A contract of this build on a chain. */
export interface Deployed {
  /** `existing` if it was there before the command. */
  readonly status: 'deployed' | 'existing';
  readonly chainId: number;
  readonly rpcUrl: string;
  readonly address: Hex;
  /** Block that deployed it; `undefined` if the RPC cannot say. */
  readonly startBlock: bigint | undefined;
  /** Transaction of this command. */
  readonly transaction?: { readonly hash: Hex; readonly gasUsed: bigint };
}

/** Options about what a command writes. */
export interface OutputOptions {
  /** Not `--env-file`: Node takes an option of that name for itself. */
  readonly writeEnv?: string;
  readonly standardJson?: string;
  readonly json?: boolean;
}

/** Writes the files of a deployment, and prints it. */
export async function showDeployed(deployed: Deployed, options: OutputOptions): Promise<void> {
  const { writeEnv } = options;
  // It may hold the key of an RPC.
  if (writeEnv !== undefined) await writeText(writeEnv, envText(deployed), 0o600);
  if (options.json === true) out.json(jsonOf(deployed));
  else print(deployed, writeEnv);
}

/** Writes the standard JSON input for block explorers, if a file for it is named. */
export async function writeStandardJson({ standardJson: path, json }: OutputOptions) {
  if (path === undefined) return;
  await writeText(path, standardJson);
  if (json !== true) {
    out.print(
      `${path}: standard JSON input of ${contractName} and ${setupName}, solc ${compilerVersion}.`,
    );
  }
}

function print(deployed: Deployed, writeEnv: string | undefined): void {
  const { status, address, chainId, startBlock, transaction } = deployed;
  const what = status === 'deployed' ? 'Deployed' : 'Found';
  out.print(`${what} ReferralCommerce on chain ${chainId}; its code is that of this build.`, '');
  out.print(`  address      ${address}`);
  out.print(`  its setup    ${setupAddress(address)}`);
  out.print(`  block        ${startBlock ?? 'unknown: the RPC has no history'}`);
  if (transaction !== undefined) {
    out.print(`  transaction  ${transaction.hash}`);
    out.print(`  gas used     ${transaction.gasUsed}`);
  }
  out.print('', `Variables to start with${writeEnv === undefined ? '' : ` (in ${writeEnv})`}:`, '');
  out.print(...envText(deployed, { hideKeys: true }).split('\n'));
}

/** The deployment as JSON. It has no RPC URL, which may contain a key. */
function jsonOf({ status, address, chainId, startBlock, transaction }: Deployed) {
  const block = startBlock === undefined ? null : Number(startBlock);
  return {
    status,
    chainId,
    contractAddress: address,
    startBlock: block,
    transaction:
      transaction === undefined
        ? null
        : { hash: transaction.hash, gasUsed: String(transaction.gasUsed) },
    codeMatches: true,
    contract: contractName,
    setup: { contractAddress: setupAddress(address), contract: setupName },
    compiler: compilerVersion,
  };
}

/** Variables of a deployment as an env file. */
function envText(
  { chainId, rpcUrl, address, startBlock }: Deployed,
  { hideKeys = false } = {},
): string {
  const lines = [
    `CHAIN_ID=${chainId}`,
    `RPC_URL=${hideKeys ? withoutKeys(rpcUrl) : rpcUrl}`,
    `CONTRACT_ADDRESS=${address}`,
    startBlock === undefined
      ? '# START_BLOCK is unknown: set it to the block that deployed the contract, or an earlier one.'
      : `START_BLOCK=${startBlock}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** A URL with `…` for user, path and query, which may contain a key. */
function withoutKeys(url: string): string {
  const { protocol, host, username, password, pathname, search } = new URL(url);
  const plain = `${username}${password}${search}` === '' && pathname === '/';
  return plain ? url : `${protocol}//${host}/…`;
}

async function writeText(path: string, text: string, mode?: number): Promise<void> {
  try {
    await writeFile(path, text, mode === undefined ? {} : { mode });
  } catch (error) {
    throw new CommandError(`${path} cannot be written: ${(error as Error).message}`);
  }
}
