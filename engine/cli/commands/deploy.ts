import type { Hex } from 'viem';
import { getContractAddress } from 'viem';
import { knownChain } from '../../core/known-chains.ts';
import type { DeployerEnv } from '../../env.ts';
import { confirm, isTerminal } from '../deploy/ask.ts';
import {
  CREATE2_PROXY,
  CREATE2_PROXY_CODE,
  deterministicAddress,
  isThisBuild,
  setupAddress,
} from '../deploy/build.ts';
import {
  codeAt,
  coins,
  deploymentBlock,
  type Plan,
  planDeployment,
  send,
  type TargetChain,
  untilMined,
  withChain,
} from '../deploy/chain.ts';
import {
  type Deployed,
  type OutputOptions,
  showDeployed,
  writeStandardJson,
} from '../deploy/outcome.ts';
import { chooseSigner, type KeyOptions } from '../deploy/signer.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { out } from '../output.ts';

export interface DeployOptions extends KeyOptions, OutputOptions {
  readonly rpc: string;
  /** 32 bytes that decide the address, with the code. */
  readonly salt?: Hex;
  /** Default: `CONFIRMATIONS`, then those of a known network, then 1. */
  readonly confirmations?: number;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

export interface VerifyContractOptions extends OutputOptions {
  readonly rpc: string;
}

/**
 * Runs `tributary deploy`: deploys the contract, compares its code with this build, and prints the
 * variables to start with. With a salt it finds a contract that is deployed already, and succeeds. Exits
 * 1 if the code differs, the account cannot pay or the transaction fails, 3 if RPC or signer do not
 * respond.
 */
export async function runDeploy(env: DeployerEnv, options: DeployOptions): Promise<void> {
  const { salt, rpc: rpcUrl } = options;
  const openSigner = chooseSigner(env, options);
  await withChain(rpcUrl, async (chain) => {
    const { chainId } = chain;
    const existing = salt === undefined ? undefined : await findExisting(chain, salt, rpcUrl);
    if (existing !== undefined) {
      await showDeployed(existing, options);
      return await writeStandardJson(options);
    }
    const signer = await openSigner();
    const plan = await planDeployment(chain, signer.address, salt);
    const expected =
      salt === undefined
        ? getContractAddress({ from: signer.address, nonce: BigInt(plan.transaction.nonce) })
        : deterministicAddress(salt);
    show({ chainId, account: signer.address, address: expected, plan, rpcUrl }, options);
    if (plan.balance < plan.maxCost) {
      throw new CommandError(
        `${signer.address} has ${coins(plan.balance)} on chain ${chainId}, and deploying may cost ${coins(plan.maxCost)}.`,
      );
    }
    if (options.dryRun === true) return await writeStandardJson(options);
    await confirmed(options, chainId);
    const hash = await send(chain, signer, plan.transaction);
    const confirmations =
      options.confirmations ?? env.confirmations ?? knownChain(chainId)?.confirmations ?? 1;
    out.error(`Sent ${hash}; waiting for ${confirmations} confirmation(s).`);
    const mined = await untilMined(chain, hash, confirmations);
    if (!mined.success && (await codeAt(chain, expected)) === undefined) {
      throw new CommandError(`Transaction ${hash} failed in block ${mined.blockNumber}.`);
    }
    await requireThisBuild(chain, expected);
    const transaction = { hash, gasUsed: mined.gasUsed };
    const found = { chainId, rpcUrl, address: expected };
    // If another account deployed it with the same salt meanwhile, the transaction failed.
    const deployed: Deployed = mined.success
      ? { ...found, status: 'deployed', startBlock: mined.blockNumber, transaction }
      : { ...found, status: 'existing', startBlock: await deploymentBlock(chain, expected) };
    await showDeployed(deployed, options);
    await writeStandardJson(options);
  });
}

/**
 * Runs `tributary verify-contract`: compares the code at an address with this build, and prints the
 * variables to start with. Exits 1 if it differs, 3 if the RPC does not respond.
 */
export async function runVerifyContract(
  address: Hex,
  options: VerifyContractOptions,
): Promise<void> {
  const { rpc: rpcUrl } = options;
  await withChain(rpcUrl, async (chain) => {
    await showDeployed(await foundAt(chain, address, rpcUrl), options);
    await writeStandardJson(options);
  });
}

/** The contract that a salt leads to, if it is deployed. @throws {CommandError} without the proxy. */
async function findExisting(
  chain: TargetChain,
  salt: Hex,
  rpcUrl: string,
): Promise<Deployed | undefined> {
  const address = deterministicAddress(salt);
  const [proxy, code] = await Promise.all([codeAt(chain, CREATE2_PROXY), codeAt(chain, address)]);
  if (code !== undefined) return await foundAt(chain, address, rpcUrl);
  if (proxy?.toLowerCase() === CREATE2_PROXY_CODE) return undefined;
  throw new CommandError(
    `Chain ${chain.chainId} has no deterministic deployment proxy at ${CREATE2_PROXY}: deploy without --salt, or deploy the proxy first (github.com/Arachnid/deterministic-deployment-proxy).`,
  );
}

async function foundAt(chain: TargetChain, address: Hex, rpcUrl: string): Promise<Deployed> {
  await requireThisBuild(chain, address);
  const startBlock = await deploymentBlock(chain, address);
  return { status: 'existing', chainId: chain.chainId, rpcUrl, address, startBlock };
}

async function requireThisBuild(chain: TargetChain, address: Hex): Promise<void> {
  const { chainId } = chain;
  const places = [address, setupAddress(address)] as const;
  const [contract, setup] = await Promise.all(places.map((place) => codeAt(chain, place)));
  if (isThisBuild({ contract, setup }, { chainId, address })) return;
  throw new CommandError(
    contract === undefined
      ? `There is no contract at ${address} on chain ${chainId}.`
      : `The code at ${address} on chain ${chainId} is not that of this build: do not use it.`,
  );
}

/** Deployment that the command is about to send. */
interface Announced {
  readonly chainId: number;
  readonly account: Hex;
  readonly address: Hex;
  readonly plan: Plan;
  readonly rpcUrl: string;
}

/** Prints a plan; as JSON only if nothing follows it. */
function show({ chainId, account, address, plan, rpcUrl }: Announced, options: DeployOptions) {
  const { gas } = plan.transaction;
  if (options.json === true) {
    if (options.dryRun !== true) return;
    const { balance, maxCost } = plan;
    const amounts = { gas: `${gas}`, balance: `${balance}`, maxCost: `${maxCost}` };
    const planned = { status: 'planned', chainId, account, contractAddress: address, ...amounts };
    out.json(planned);
    return;
  }
  out.print(`chain      ${chainId} (${new URL(rpcUrl).host})`);
  out.print(`account    ${account}, with ${coins(plan.balance)}`);
  out.print(`address    ${address}${options.salt === undefined ? '' : ', decided by the salt'}`);
  out.print(`cost       at most ${coins(plan.maxCost)} (${gas} gas)`, '');
}

/** @throws {CommandError} if a person must confirm and does not, or there is no terminal to ask on. */
async function confirmed({ yes, json }: DeployOptions, chainId: number): Promise<void> {
  if (yes === true || json === true) return;
  if (!isTerminal()) {
    throw new CommandError('There is no terminal to ask on: add --yes to deploy.', exitCodes.usage);
  }
  if (!(await confirm(`Deploy on chain ${chainId}?`))) {
    throw new CommandError('Nothing was sent.');
  }
}
