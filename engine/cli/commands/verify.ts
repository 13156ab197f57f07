import type { Env } from '../../env.ts';
import { readable, unknownToken, type Verification, verifySale } from '../../verify/index.ts';
import { apiUrlOf, askApi } from '../api-client.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { out, style } from '../output.ts';
import { readRunning } from '../running.ts';
import { exitCodeOf, verdictMarks } from '../verdict.ts';
import { verifyByQuorum } from '../verify-by-quorum.ts';

export interface VerifyOptions {
  readonly chainId: string;
  readonly saleId: string;
  readonly url?: string;
  readonly rpc?: string;
  readonly contract?: `0x${string}`;
  readonly json?: boolean;
}

/**
 * Runs `tributary verify`: gets the receipt from the API and compares it with the chain in this
 * process. Exits 0 if the receipt matches, 1 if it does not, 3 if it could not be checked (another
 * chain or contract included), 5 if the API has no such sale, 6 if the sale has later events.
 */
export async function runVerify(env: Env, options: VerifyOptions): Promise<void> {
  const url = await apiUrlOf(env, options.url);
  const trust = await whatToTrust(env, options, url);
  const { served, atBlock, genesisHash } = await askApi(url, async (client) => {
    const [receipt, status] = await Promise.all([
      client.receipts.get({ chainId: Number(options.chainId), saleId: options.saleId }),
      client.system.status(),
    ]);
    return {
      served: receipt.data,
      // Later events make the receipt old; they do not contradict it.
      atBlock: receipt.meta.chain && BigInt(receipt.meta.chain.blockNumber),
      genesisHash: status.data.deployment.genesisHash,
    };
  });
  const chainId = Number(options.chainId);
  const verification = await verifyByQuorum({ ...trust, chainId }, (client) =>
    verifySale({
      ...{ client, contractAddress: trust.contractAddress },
      ...{ saleId: options.saleId, chainId, served, atBlock, genesisHash },
    }),
  );
  process.exitCode = exitCodeOf(verification);
  if (options.json === true) out.json(verification);
  else print({ verification, chainId: options.chainId, url, trust });
}

/** RPC and contract to trust, and where each is from. */
interface CliTrust {
  readonly rpcUrls: readonly string[];
  /** Number of RPCs that must come to the same verdict. */
  readonly rpcQuorum: number;
  /** The first block that may have events of the contract. */
  readonly startBlock: number;
  readonly contractAddress: `0x${string}`;
  /** `--rpc`, `RPC_URL`, `the deployment here`. */
  readonly rpcFrom: string;
  readonly contractFrom: string;
}

/**
 * RPC and contract to trust: from the options, the environment, or the deployment that runs here, if its API is
 * the one that is asked.
 */
async function whatToTrust(env: Env, options: VerifyOptions, url: string): Promise<CliTrust> {
  const running = await readRunning(env);
  const local = running?.apiUrl === url ? running : undefined;
  const rpc = firstOf<readonly string[]>([
    [options.rpc === undefined ? undefined : [options.rpc], '--rpc'],
    [env.chain?.rpcUrls, 'RPC_URL'],
    [local?.rpcUrl === undefined ? undefined : [local.rpcUrl], 'the deployment here'],
  ]);
  const contract = firstOf<`0x${string}`>([
    [options.contract, '--contract'],
    [env.chain?.contractAddress, 'CONTRACT_ADDRESS'],
    [local?.contractAddress, 'the deployment here'],
  ]);
  if (rpc === undefined || contract === undefined) {
    throw new CommandError(
      `Name an RPC and a contract that you trust for ${url}: --rpc <url> and --contract <address>, or set the chain variables.`,
      exitCodes.usage,
    );
  }
  const { rpcQuorum = 1, startBlock = 0 } = env.chain ?? {};
  return {
    rpcUrls: rpc.value,
    rpcQuorum: rpc.from === 'RPC_URL' ? rpcQuorum : 1,
    startBlock,
    rpcFrom: rpc.from,
    contractAddress: contract.value,
    contractFrom: contract.from,
  };
}

/** The first value that is there, and where it is from. */
function firstOf<T>(
  values: readonly (readonly [value: T | undefined, from: string])[],
): { readonly value: T; readonly from: string } | undefined {
  for (const [value, from] of values) if (value !== undefined) return { value, from };
  return undefined;
}

interface Printed {
  readonly verification: Verification;
  readonly chainId: string;
  readonly url: string;
  readonly trust: CliTrust;
}

const sentences = {
  pass: 'matches the chain',
  fail: 'does not match the chain',
  unavailable: 'could not be checked',
  outdated: 'matches an old state of the chain',
} as const;

/** Prints the verdict, what it is based on, the checks, and what none of them compares. */
function print({ verification, chainId, url, trust }: Printed): void {
  const { saleId, verdict, reason, checks, notCompared, facts } = verification;
  out.print(
    `${verdictMarks[verdict].trim()}  Sale ${saleId} on chain ${chainId} ${sentences[verdict]}${asOf(verification)}.`,
  );
  // The token of the proven campaign: the receipt's own could give the amounts another name or scale.
  const token = facts?.token;
  if (reason !== null) out.print(readable(reason, token));
  const hosts = trust.rpcUrls.map((rpcUrl) => new URL(rpcUrl).host).join(', ');
  out.print('', style.dim(`receipt   ${url}`));
  out.print(style.dim(`RPC       ${hosts} (${trust.rpcFrom})`));
  out.print(style.dim(`contract  ${trust.contractAddress} (${trust.contractFrom})`));
  if (reason !== null) return;
  out.print('');
  const inBaseUnits = unknownToken(facts);
  if (inBaseUnits !== undefined) out.print(inBaseUnits, '');
  for (const { name, status, message } of checks) {
    out.print(
      `  ${verdictMarks[status]}  ${style.bold(name.padEnd(11))}  ${readable(message, token)}`,
    );
  }
  if (notCompared.length === 0) return;
  out.print('', 'Not compared with the chain, so these are the service’s word alone:', '');
  for (const { field, reason } of notCompared) {
    out.print(`  ${style.bold(field.padEnd(24))}  ${readable(reason, undefined)}`);
  }
}

/** The block of the receipt and the newest of the RPC, as the end of a sentence. */
function asOf({ block, newestBlock }: Verification): string {
  if (block === null) return '';
  const newest =
    newestBlock === null || newestBlock.number === block.number
      ? ''
      : `; the newest is ${newestBlock.number}, of ${newestBlock.timestamp}`;
  return `, as of block ${block.number}${readable(newest, undefined)}`;
}
