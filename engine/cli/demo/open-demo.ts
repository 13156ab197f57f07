import { encodeFunctionData, erc20Abi, type Hex, parseEther, toHex } from 'viem';
import { testTokenAbi } from '../../../abis/testToken.ts';
import { type Actor, actorsOf, type SampleToken } from '../../../sample/actors.ts';
import { demoPeople } from '../../../sample/demo-people.ts';
import { SAMPLE_SEED } from '../../../sample/run-sample.ts';
import { baseUnits } from '../../../sample/tokens.ts';
import { LOCAL_CHAIN_ID } from '../../chain/rpc-chain.ts';
import type { Address } from '../../core/events.ts';
import type { ChainEnv } from '../../env.ts';
import type { Demo } from '../../http/demo/demo.ts';
import { request } from '../stack/anvil.ts';

/** First account of anvil's well-known mnemonic: no chain but a test chain signs for it. */
const ANVIL_ACCOUNT = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';

/** Test money of one call: whole tokens, and ether for fees. */
const GIFT = { tokens: '1000', ether: '1' } as const;
/** An account with as many tokens gets no more. */
const PLENTY = '2000000';
/** An account with fewer is poor. */
const POOR = '500';
/** An account with as much ether needs no more. */
const ENOUGH_GAS = parseEther('0.5');

/** Milliseconds that anvil may take to answer a page. */
const CALL_MS = 10_000;

/**
 * Opens the demo of a chain, after it has proved to be the anvil of this machine with the sample on it.
 * @param rpcUrl the chain that `tributary start` says it runs.
 * @throws {Error} with the reason if anything speaks against it: then the site has no demo.
 */
export async function openDemo(chain: ChainEnv, rpcUrl: string): Promise<Demo> {
  const actors = actorsOf(SAMPLE_SEED);
  const [only, ...others] = chain.rpcUrls;
  const contract = actors.contractAddress.toLowerCase();
  confirm(chain.chainId === LOCAL_CHAIN_ID, `chain ${chain.chainId} is not a local chain`);
  confirm(only === rpcUrl && others.length === 0, 'another RPC is configured');
  confirm(new URL(rpcUrl).hostname === '127.0.0.1', 'the RPC is not on this machine');
  confirm(chain.contractAddress.toLowerCase() === contract, 'the contract is not the sample’s');
  await confirmAnvil(rpcUrl);
  const token = actors.tokens.dollar;
  return {
    chainId: LOCAL_CHAIN_ID,
    accounts: demoPeople(actors).map(({ role, name, actor }) => ({
      ...{ role, name },
      ...keyOf(actor),
    })),
    ask: async (method, params) => await respond(rpcUrl, method, params),
    give: async (account, onlyIfPoor) =>
      await give(rpcUrl, token, account, onlyIfPoor ? POOR : PLENTY),
  };
}

function keyOf({ address, privateKey }: Actor) {
  return { address: lower(address), privateKey };
}

/** @throws {Error} unless an RPC is anvil on its own chain, signing for its well-known account. */
async function confirmAnvil(rpcUrl: string): Promise<void> {
  const [chainId, version, accounts] = await Promise.all([
    request(rpcUrl, 'eth_chainId', []),
    request(rpcUrl, 'web3_clientVersion', []),
    request(rpcUrl, 'eth_accounts', []),
  ]);
  confirm(Number(chainId) === LOCAL_CHAIN_ID, `the RPC serves chain ${Number(chainId)}`);
  confirm(String(version).startsWith('anvil/'), `the RPC is ${String(version)}, and not anvil`);
  const [first]: unknown[] = Array.isArray(accounts) ? accounts : [];
  confirm(String(first).toLowerCase() === ANVIL_ACCOUNT, 'the RPC has other accounts than anvil');
}

function confirm(holds: boolean, reason: string): void {
  if (!holds) throw new Error(`The chain is not the one that tributary start runs: ${reason}.`);
}

/** The node's response as it is: pages read the contract's errors from it. */
async function respond(rpcUrl: string, method: string, params: readonly unknown[]) {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(CALL_MS),
  });
  const { result, error } = (await response.json()) as { result?: unknown; error?: object };
  return error === undefined ? { result: result ?? null } : { error };
}

/**
 * Sends test tokens, and ether if the account has little.
 * @param limit whole tokens of an account that gets no more.
 * @returns `undefined` if it has as many.
 */
async function give(rpcUrl: string, token: SampleToken, account: Address, limit: string) {
  const call = { abi: erc20Abi, functionName: 'balanceOf', args: [account] } as const;
  const [tokens, ether] = await Promise.all([
    request(rpcUrl, 'eth_call', [{ to: token.address, data: encodeFunctionData(call) }, 'latest']),
    request(rpcUrl, 'eth_getBalance', [account, 'latest']),
  ]);
  if (BigInt(String(tokens)) >= baseUnits('dollar', limit)) return undefined;
  const amount = baseUnits('dollar', GIFT.tokens);
  const gas = BigInt(String(ether)) < ENOUGH_GAS ? parseEther(GIFT.ether) : 0n;
  const mint = { abi: testTokenAbi, functionName: 'mint', args: [account, amount] } as const;
  await send(rpcUrl, { to: token.address, data: encodeFunctionData(mint) });
  if (gas > 0n) await send(rpcUrl, { to: account, value: toHex(gas) });
  const { symbol, decimals } = token;
  return { token: { symbol, decimals }, amount: amount.toString(), gas: gas.toString() };
}

/** Milliseconds between two questions about a transaction. */
const POLL_MS = 50;
/** Milliseconds after which a transaction counts as lost: mining may pause while the chain is saved. */
const MINED_MS = 15_000;

/** Lets anvil send a transaction of its own account, and waits for its block. */
async function send(
  rpcUrl: string,
  transaction: { readonly to: string; readonly data?: Hex; readonly value?: Hex },
): Promise<void> {
  const sent = await request(rpcUrl, 'eth_sendTransaction', [
    { from: ANVIL_ACCOUNT, ...transaction },
  ]);
  const until = Date.now() + MINED_MS;
  while ((await request(rpcUrl, 'eth_getTransactionReceipt', [sent])) === null) {
    if (Date.now() > until) throw new Error(`The local chain did not mine ${String(sent)}.`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function lower(address: Address): Address {
  return `0x${address.slice(2).toLowerCase()}`;
}
