import type { Page } from 'playwright-core';
import { createWalletClient, type Hex, hexToString, http, numberToHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { waitFor } from '../../support/wait-for.ts';

/** How the wallet's owner answers. */
interface WalletOptions {
  readonly privateKey: Hex;
  /** Where it sends transactions. */
  readonly rpcUrl: string;
  /** Methods that its owner rejects, or a function that decides on each request. */
  readonly refuses?: readonly string[] | ((method: string) => boolean);
  /** Given if it takes several calls as one (EIP-5792): true while its owner thinks about them. */
  readonly thinks?: () => boolean;
}

/**
 * Gives a page a wallet of the browser (EIP-1193) with one account, which signs for real.
 * @returns the methods that the page asked it for, in their order.
 */
export async function giveWallet(page: Page, options: WalletOptions): Promise<string[]> {
  const { privateKey, rpcUrl, refuses = [] } = options;
  const account = privateKeyToAccount(privateKey);
  const client = createWalletClient({ account, chain: foundry, transport: http(rpcUrl) });
  const isRefused =
    typeof refuses === 'function' ? refuses : (method: string) => refuses.includes(method);
  const requested: string[] = [];
  const read = async (method: string, params: readonly unknown[]) =>
    await client.request({ method, params } as never);
  async function send(sent: unknown): Promise<Hex> {
    const { to, data, value } = fieldsOf(sent);
    const call = { to: hex(to), data: hex(data), value: BigInt(hex(value)) };
    return await client.sendTransaction(call);
  }
  const answers: Readonly<Record<string, (params: readonly unknown[]) => Promise<unknown>>> = {
    eth_requestAccounts: async () => [account.address],
    eth_accounts: async () => [account.address],
    eth_getTransactionReceipt: async (params) => await read('eth_getTransactionReceipt', params),
    eth_call: async (params) => await read('eth_call', params),
    eth_chainId: async () => numberToHex(foundry.id),
    personal_sign: async ([text]) => await account.signMessage({ message: hexToString(hex(text)) }),
    eth_signTypedData_v4: async ([, data]) =>
      await account.signTypedData(JSON.parse(typeof data === 'string' ? data : '')),
    eth_sendTransaction: async ([sent]) => await send(sent),
    ...(options.thinks && callsOf(options.thinks, { send, read })),
  };
  await page.exposeFunction('askTestWallet', async (method: string, params: unknown[]) => {
    requested.push(method);
    if (isRefused(method)) return { code: 4001, message: 'User rejected the request.' };
    const answer = answers[method];
    return answer
      ? { result: await answer(params) }
      : { code: 4200, message: `The test wallet has no ${method}.` };
  });
  await page.addInitScript(`window.ethereum = {
    async request({ method, params = [] }) {
      const { result, ...failure } = await window.askTestWallet(method, params);
      if (result !== undefined) return result;
      throw Object.assign(new Error(failure.message), failure);
    },
  };`);
  return requested;
}

interface Chain {
  readonly send: (call: unknown) => Promise<Hex>;
  readonly read: (method: string, params: readonly unknown[]) => Promise<unknown>;
}

/** Methods of EIP-5792. The calls are sent when their state is asked for and the owner has decided, each once. */
function callsOf(thinks: () => boolean, { send, read }: Chain) {
  const batches = new Map<unknown, readonly unknown[]>();
  const receipts: unknown[] = [];
  return {
    wallet_getCapabilities: async () => ({
      [numberToHex(foundry.id)]: { atomic: { status: 'supported' } },
    }),
    wallet_sendCalls: async ([request]: readonly unknown[]) => {
      const { id, calls } = fieldsOf(request);
      batches.set(id, Array.isArray(calls) ? calls : []);
      return { id };
    },
    wallet_getCallsStatus: async ([id]: readonly unknown[]) => {
      const answer = { version: '2.0.0', id, chainId: numberToHex(foundry.id), atomic: true };
      if (thinks()) return { ...answer, status: 100 };
      const calls = batches.get(id) ?? [];
      batches.set(id, []);
      for (const call of calls) {
        const hash = await send(call);
        const what = `the receipt of ${hash}`;
        receipts.push(
          await waitFor(() => read('eth_getTransactionReceipt', [hash]), { what, interval: 50 }),
        );
      }
      // The last one is the one that matters: a real wallet has one transaction for all calls.
      return { ...answer, status: 200, receipts: receipts.slice(-1) };
    },
  };
}

function hex(value: unknown): Hex {
  if (typeof value === 'string' && value.startsWith('0x')) return `0x${value.slice(2)}`;
  throw new Error(`The page gave the wallet ${String(value)}, and not hex digits.`);
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
