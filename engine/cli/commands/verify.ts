import pc from 'picocolors';
import { rpcClient } from '../../chain/client.ts';
import type { Env } from '../../env.ts';
import { type Verification, verifySale } from '../../verify/index.ts';
import { apiUrlOf, askApi } from '../api-client.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { readRunning } from '../running.ts';
import { exitCodeOf, verdictMarks } from '../verdict.ts';

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
 * process. Exits 0 if every check passes, 1 if one fails, 3 if one could not be made.
 */
export async function runVerify(env: Env, options: VerifyOptions): Promise<void> {
  const { rpcUrls, contractAddress } = await whatToTrust(env, options);
  const url = await apiUrlOf(env, options.url);
  const { data: served, meta } = await askApi(url, (client) =>
    client.receipts.get({ chainId: Number(options.chainId), saleId: options.saleId }),
  );
  const verification = await verifySale({
    client: rpcClient(rpcUrls),
    contractAddress,
    saleId: options.saleId,
    served,
    // The receipt does not contain later blocks yet.
    atBlock: meta.chain === undefined ? undefined : BigInt(meta.chain.blockNumber),
  });
  process.exitCode = exitCodeOf(verification);
  if (options.json === true) console.log(JSON.stringify(verification, null, 2));
  else print(verification, url);
}

/** RPC and contract to trust: from the options, the environment, or the deployment that runs here. */
async function whatToTrust(
  env: Env,
  options: VerifyOptions,
): Promise<{ rpcUrls: readonly string[]; contractAddress: `0x${string}` }> {
  const running = await readRunning(env);
  const rpcUrls =
    (options.rpc === undefined ? undefined : [options.rpc]) ??
    env.chain?.rpcUrls ??
    (running?.rpcUrl === undefined ? undefined : [running.rpcUrl]);
  const contractAddress =
    options.contract ?? env.chain?.contractAddress ?? running?.contractAddress;
  if (rpcUrls === undefined || contractAddress === undefined) {
    throw new CommandError(
      'Name an RPC and a contract that you trust: --rpc <url> and --contract <address>, or set the chain variables.',
      exitCodes.usage,
    );
  }
  return { rpcUrls, contractAddress };
}

function print({ saleId, chainId, verdict, block, checks }: Verification, url: string): void {
  console.log(`Sale ${saleId} on chain ${chainId ?? '?'}, as served by ${url}:\n`);
  for (const { name, status, message } of checks) {
    console.log(`  ${verdictMarks[status]}  ${pc.bold(name.padEnd(11))}  ${message}`);
  }
  const asOf = block === null ? '' : ` as of block ${block.number} (${block.hash})`;
  console.log(`\n${verdictMarks[verdict].trim()}${asOf}`);
}
