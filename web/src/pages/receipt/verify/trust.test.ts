import { describe, expect, it } from 'vitest';
import { isOtherContract, readTrust, rpcName, servicesValues } from './trust.ts';

const CONTRACT = `0x${'aB'.repeat(20)}`;
const fields = { ...servicesValues(31_337, CONTRACT), rpcUrl: ' http://127.0.0.1:8545/key ' };

describe('the values to verify by', () => {
  it('reads an RPC, a contract and a first block', () => {
    expect(readTrust(fields)).toEqual({
      trust: {
        rpc: { kind: 'url', url: 'http://127.0.0.1:8545/key' },
        contractAddress: CONTRACT.toLowerCase(),
        contractFrom: 'service',
        fromBlock: '0',
      },
      problems: {},
    });
    expect(isOtherContract(` ${CONTRACT.toLowerCase()}`, CONTRACT)).toBe(false);
  });

  it('names each invalid field, and no address if a wallet is asked', () => {
    const wrong = { ...fields, rpcUrl: 'rpc', contract: '0x12', fromBlock: '-1' };
    expect(Object.keys(readTrust(wrong).problems)).toEqual(['rpcUrl', 'contract', 'fromBlock']);
    const wallet = { name: 'Wallet', wallet: { request: async () => null } };
    const { trust } = readTrust({ ...fields, rpcUrl: '', wallet });
    expect(trust && rpcName(trust.rpc)).toBe('the RPC of Wallet');
  });

  it('suggests a public RPC for a well-known chain, and names it by its host', () => {
    const { rpcUrl } = servicesValues(8_453, CONTRACT);
    expect(rpcName({ kind: 'url', url: rpcUrl })).toBe('mainnet.base.org');
    expect(servicesValues(31_337, CONTRACT).rpcUrl).toBe('');
  });
});
