import { afterEach, describe, expect, it, vi } from 'vitest';
import { publicRpcsOf } from '../rpc/public-rpcs.ts';
import { newChain } from './add-chain.ts';
import {
  browserWallet,
  chooseAccount,
  sendTransaction,
  signText,
  signTypedData,
  switchChain,
  type Wallet,
  WalletError,
} from './wallet.ts';

const ACCOUNT = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const HASH = `0x${'ab'.repeat(32)}`;

/** A wallet that answers so, and remembers what it was asked. */
function walletOf(answers: Record<string, unknown>) {
  const requested: unknown[] = [];
  const wallet: Wallet = {
    async request(call) {
      requested.push(call);
      const answer = answers[call.method];
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  return { wallet, asked: requested };
}

const failure = (code: number, message = 'no') => Object.assign(new Error(message), { code });

afterEach(() => vi.unstubAllGlobals());

describe('a wallet of the browser', () => {
  it('accepts only a wallet that has a request method', () => {
    vi.stubGlobal('ethereum', { request: async () => null });
    expect(browserWallet()).toBeDefined();
    vi.stubGlobal('ethereum', { request: 'no' });
    expect(browserWallet()).toBeUndefined();
    vi.unstubAllGlobals();
    expect(browserWallet()).toBeUndefined();
  });

  it('returns its account with a checksum', async () => {
    const { wallet } = walletOf({ eth_requestAccounts: [ACCOUNT.toLowerCase()] });
    expect(await chooseAccount(wallet)).toBe(ACCOUNT);
    const none = walletOf({ eth_requestAccounts: [] });
    await expect(chooseAccount(none.wallet)).rejects.toThrow('named no account');
  });

  it('signs a text as bytes, for the requested account', async () => {
    const { wallet, asked: requested } = walletOf({ personal_sign: '0x1234' });
    expect(await signText(wallet, ACCOUNT, 'Hi')).toBe('0x1234');
    expect(requested).toEqual([{ method: 'personal_sign', params: ['0x4869', ACCOUNT] }]);
  });

  it('signs typed data as a text, on the chain of its domain', async () => {
    const { wallet, asked: requested } = walletOf({
      eth_chainId: '0x1',
      eth_signTypedData_v4: '0x1234',
    });
    const data = {
      domain: { name: 'A', version: '1', chainId: 31_337, verifyingContract: ACCOUNT },
      ...{ primaryType: 'B', types: { B: [] }, message: {} },
    };
    expect(await signTypedData(wallet, ACCOUNT, data)).toBe('0x1234');
    expect(requested).toEqual([
      { method: 'eth_chainId' },
      { method: 'wallet_switchEthereumChain', params: [{ chainId: '0x7a69' }] },
      { method: 'eth_signTypedData_v4', params: [ACCOUNT, JSON.stringify(data)] },
    ]);
    const silent = walletOf({ eth_chainId: '0x7a69', eth_signTypedData_v4: null });
    await expect(signTypedData(silent.wallet, ACCOUNT, data)).rejects.toThrow('gave no signature');
  });

  it('sends a transaction on the chain it is for, switching there first', async () => {
    const { wallet, asked: requested } = walletOf({
      eth_chainId: '0x1',
      eth_sendTransaction: HASH,
    });
    const transaction = { chainId: 31_337, to: ACCOUNT, data: '0x12', value: '0' };
    expect(await sendTransaction(wallet, ACCOUNT, transaction)).toBe(HASH);
    expect(requested).toEqual([
      { method: 'eth_chainId' },
      { method: 'wallet_switchEthereumChain', params: [{ chainId: '0x7a69' }] },
      {
        method: 'eth_sendTransaction',
        params: [{ from: ACCOUNT, to: ACCOUNT, data: '0x12', value: '0x0' }],
      },
    ]);
  });

  it('explains in words a refusal, and a chain that the wallet does not know', async () => {
    const refused = walletOf({ eth_requestAccounts: failure(4001) });
    await expect(chooseAccount(refused.wallet)).rejects.toThrow('rejected the request');
    const elsewhere = walletOf({ eth_chainId: '0x1', wallet_switchEthereumChain: failure(4902) });
    const switched = switchChain(elsewhere.wallet, 31_337);
    await expect(switched).rejects.toThrow('enter the chain id 31337');
    await expect(switched).rejects.toBeInstanceOf(WalletError);
  });

  it('offers a well-known chain to a wallet that does not know it, however its refusal is wrapped', async () => {
    const wrapped = { data: { originalError: { code: 4902 } } };
    for (const refusal of [failure(4902), Object.assign(failure(-32_603), wrapped)]) {
      const known: string[] = ['0x1'];
      const requested: unknown[] = [];
      const wallet: Wallet = {
        async request({ method, params = [] }) {
          requested.push(method);
          const [chain] = params as [{ readonly chainId: string }];
          if (method === 'wallet_addEthereumChain') known.push(chain.chainId);
          if (method === 'eth_chainId') return '0x1';
          if (method === 'wallet_switchEthereumChain' && !known.includes(chain.chainId)) {
            throw refusal;
          }
          return null;
        },
      };
      await switchChain(wallet, 8_453);
      expect(requested).toEqual([
        ...['eth_chainId', 'wallet_switchEthereumChain', 'wallet_addEthereumChain'],
        ...['eth_chainId', 'wallet_switchEthereumChain'],
      ]);
    }
    expect(newChain(8_453)).toEqual({
      ...{ chainId: '0x2105', chainName: 'Base', rpcUrls: publicRpcsOf(8_453) },
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    });
    expect(newChain(137)?.nativeCurrency.symbol).toBe('POL');
    expect(newChain(987_654)).toBeUndefined();
  });

  it('asks for nothing more if the reader rejects the change of the chain', async () => {
    const { wallet, asked } = walletOf({
      eth_chainId: '0x1',
      wallet_switchEthereumChain: failure(4001),
    });
    await expect(switchChain(wallet, 8_453)).rejects.toThrow('rejected the request');
    expect(asked).toHaveLength(2);
  });

  it('offers the RPC that the operator published', () => {
    vi.stubGlobal('document', { querySelector: () => ({ content: 'http://127.0.0.1:8545' }) });
    expect(newChain(31_337)).toMatchObject({
      ...{ chainId: '0x7a69', chainName: 'Local chain', rpcUrls: ['http://127.0.0.1:8545'] },
    });
  });
});
