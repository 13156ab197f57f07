import { createPublicClient, custom, getContract, type Hex, pad, toFunctionSelector } from 'viem';
import { describe, expect, it } from 'vitest';
import { blocklistTokenAbi, blocklistTokenBytecode } from '../../abis/test/blocklistToken.ts';
import { feeTokenAbi, feeTokenBytecode } from '../../abis/test/feeToken.ts';
import { quirkyTokenAbi, quirkyTokenBytecode } from '../../abis/test/quirkyToken.ts';
import { examineToken } from '../../engine/http/resources/tokens/examine.ts';
import { fundArgs } from '../contracts/calls.ts';
import { buyFrom, createCampaign, joinPath, openCampaign, price } from '../contracts/scenes.ts';
import {
  by,
  deploy,
  fortune,
  nextAt,
  refusal,
  sent,
  TransactionReverted,
  useWorld,
  type World,
} from '../contracts/support.ts';
import { bitsOf, constructorOf, ordinaryKind, type TokenKind } from './kinds.ts';

const world = useWorld();

type Deps = Parameters<typeof examineToken>[0];

/** Codes of the warnings of a token that the merchant wants to use. */
async function codesOf(w: World, token: Hex, changes: Partial<Deps> = {}): Promise<string[]> {
  const deployment = { contractAddress: w.commerce.address };
  const deps = { client: w.client, deployment, ...changes } as unknown as Deps;
  const asked = { token, holder: w.merchant, amount: price };
  return (await examineToken(deps, asked)).map(({ code }) => code);
}

async function deployKind(w: World, kind: TokenKind = ordinaryKind) {
  const args = constructorOf(kind);
  const address = await deploy(w.client, quirkyTokenAbi, quirkyTokenBytecode, args);
  const token = getContract({ abi: quirkyTokenAbi, address, client: w.client });
  for (const account of [w.merchant, w.buyer]) {
    await sent(w, token.write.mint([account, fortune], by(account)));
    await sent(w, token.write.approve([w.commerce.address, fortune], by(account)));
  }
  return token;
}

describe('an examination of a token', () => {
  it('changes nothing on the chain, and needs no allowance', async () => {
    const w = world();
    const balances = () =>
      Promise.all(
        [w.merchant, w.commerce.address].map((account) => w.token.read.balanceOf([account])),
      );
    const before = [await w.client.getBlockNumber(), ...(await balances())];
    expect(await codesOf(w, w.token.address)).toEqual([]);
    expect([await w.client.getBlockNumber(), ...(await balances())]).toEqual(before);
    expect(await w.client.getCode({ address: w.merchant })).toBeUndefined();
  });

  it('names what an issuer can do later, as the functions in its code show', async () => {
    const w = world();
    const blocklist = await deploy(w.client, blocklistTokenAbi, blocklistTokenBytecode);
    expect(await codesOf(w, blocklist)).toEqual(['NOT_TRIED', 'BLOCKLIST']);
    const fee = await deploy(w.client, feeTokenAbi, feeTokenBytecode, [0n]);
    expect(await codesOf(w, fee)).toEqual(['NOT_TRIED', 'FEE_POSSIBLE']);
    // Code that only has the functions.
    const address = `0x${'77'.repeat(20)}` as const;
    for (const [signature, code] of [
      ['sharesOf(address)', 'REBASES'],
      ['pause()', 'PAUSABLE'],
      ['granularity()', 'CALLS_BACK'],
      ['deprecate(address)', 'UPGRADABLE'],
    ] as const) {
      const bytecode = `0x63${toFunctionSelector(signature).slice(2)}00` as const;
      await w.client.setCode({ address, bytecode });
      expect(await codesOf(w, address), signature).toContain(code);
    }
  });

  it('looks behind a proxy, and says whether its code can be replaced', async () => {
    const w = world();
    const code = await deploy(w.client, blocklistTokenAbi, blocklistTokenBytecode);
    const address = `0x${'78'.repeat(20)}` as const;
    const minimal = `0x363d3d373d3d3d363d73${code.slice(2).toLowerCase()}5af43d82803e903d91602b57fd5bf3`;
    await w.client.setCode({ address, bytecode: minimal as Hex });
    expect(await codesOf(w, address)).toContain('BLOCKLIST');
    expect(await codesOf(w, address)).not.toContain('UPGRADABLE');
    for (const slot of [
      '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc',
      '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50',
      '0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3',
    ] as const) {
      const proxy = (await deployKind(w)).address;
      await w.client.setStorageAt({ address: proxy, index: slot, value: pad(code) });
      expect(await codesOf(w, proxy), slot).toEqual(['BLOCKLIST', 'UPGRADABLE']);
    }
  });

  it('says that nothing was tried if the merchant has none, unless the contract has some', async () => {
    const w = world();
    const token = await deployKind(w, { ...ordinaryKind, quirks: ['feeOnTop'] });
    const rest = await token.read.balanceOf([w.merchant]);
    await openCampaign(w, { token: token.address }, { rewardToken: token.address });
    const left = await token.read.balanceOf([w.merchant]);
    expect(left).toBeLessThan(rest);
    await sent(w, token.write.setQuirks([0n], by(w.merchant)));
    await sent(w, token.write.transfer([w.stranger, left], by(w.merchant)));
    await sent(w, token.write.setQuirks([bitsOf(['feeOnTop'])], by(w.merchant)));
    expect(await codesOf(w, token.address)).toEqual(['INEXACT_PAYMENTS']);
    const other = await deploy(
      w.client,
      quirkyTokenAbi,
      quirkyTokenBytecode,
      constructorOf(ordinaryKind),
    );
    expect(await codesOf(w, other)).toEqual(['NOT_TRIED']);
  });

  it('says that it is no token if there is no code', async () => {
    const w = world();
    expect(await codesOf(w, w.stranger)).toEqual(['NO_TOKEN']);
  });

  it('calls unknown what an RPC cannot answer: it lends no code, or is away', async () => {
    const w = world();
    const clientOf = (request: (body: { method: string; params?: unknown }) => Promise<unknown>) =>
      createPublicClient({ transport: custom({ request }, { retryCount: 0 }) });
    const forward = w.client.request as (body: object) => Promise<unknown>;
    const ignoring = clientOf(({ method, params }) =>
      forward({
        method,
        params: method === 'eth_call' ? (params as unknown[]).slice(0, 2) : params,
      }),
    );
    expect(await codesOf(w, w.token.address, { client: ignoring })).toEqual(['NOT_EXAMINED']);
    const refusing = clientOf(async ({ method, params }) => {
      if ((params as unknown[] | undefined)?.[2] === undefined) return forward({ method, params });
      throw Object.assign(new Error('too many arguments'), { code: -32_602 });
    });
    expect(await codesOf(w, w.token.address, { client: refusing })).toEqual(['NOT_EXAMINED']);
    const away = clientOf(() => Promise.reject(new Error('away')));
    expect(await codesOf(w, w.token.address, { client: away })).toEqual(['NOT_EXAMINED']);
  });

  it('bounds what an endless name costs', async () => {
    const w = world();
    const token = await deployKind(w, { ...ordinaryKind, quirks: ['endlessName'] });
    const bytes: number[] = [];
    const request = async (body: object) => {
      const answer = await (w.client.request as (body: object) => Promise<unknown>)(body);
      bytes.push(JSON.stringify(answer ?? null).length);
      return answer;
    };
    const counting = createPublicClient({ transport: custom({ request }, { retryCount: 0 }) });
    expect(await codesOf(w, token.address, { client: counting })).toEqual(['NAME']);
    expect(Math.max(...bytes)).toBeLessThan(1_000_000);
  });
});

describe('a token that counts shares', () => {
  it('locks some rewards, by their amount, until the value of a share is another', async () => {
    const w = world();
    const { read, simulate, write } = w.commerce;
    const index = 1_234_567_890_123_456_789n;
    const token = await deployKind(w, { ...ordinaryKind, index });
    const rewardToken = token.address;
    const [payee = w.stranger] = w.nodes;
    const ids: bigint[] = [];
    let node = 0n;
    for (let n = 0n; n < 8n; n += 1n) {
      const id = await createCampaign(
        w,
        { token: rewardToken, price: price + 10n * n },
        { rewardToken },
      );
      await sent(w, write.fund(await fundArgs(w, id, price), by(w.merchant)));
      await joinPath(w, id, [payee]);
      node += 1n;
      await buyFrom(w, id, node);
      ids.push(id);
    }
    const last = await read.sale([BigInt(ids.length)]);
    await nextAt(w, last.holdUntil);
    await sent(w, write.finalize([ids], by(w.stranger)));
    const errors = async () => {
      const calls = ids.map((id) =>
        simulate.claimRewards([[id]], { account: payee }).then(
          () => 'paid',
          () =>
            refusal(simulate.claimRewards([[id]], { account: payee })).then(({ error }) => error),
        ),
      );
      return await Promise.all(calls);
    };
    const now = await errors();
    expect(new Set(now)).toEqual(new Set(['paid', 'InexactTransfer']));
    // In one list, one such reward reverts the claim of all.
    expect(await refusal(simulate.claimRewards([ids], { account: payee }))).toMatchObject({
      error: 'InexactTransfer',
    });
    const locked = ids.find((_, i) => now[i] === 'InexactTransfer') ?? 0n;
    const owed = await read.claimableRewards([locked, payee]);
    let days = 0n;
    for (let paid = false; !paid && days < 50n; days += 1n) {
      await sent(w, token.write.setIndex([index + days * 10n ** 14n], by(w.stranger)));
      paid = await sent(w, write.claimRewards([[locked]], by(payee))).then(
        () => true,
        (error: unknown) => {
          if (error instanceof TransactionReverted) return false;
          throw error;
        },
      );
    }
    // It was claimable all the time, and was paid in the end.
    expect(days).toBeLessThan(50n);
    expect(owed).toBeGreaterThan(0n);
    expect(await read.claimableRewards([locked, payee])).toBe(0n);
  });

  it('leaves the campaigns of other tokens able to pay', async () => {
    const w = world();
    const { write } = w.commerce;
    const token = await deployKind(w, { ...ordinaryKind, quirks: ['feeOnTop'] });
    const [payee = w.stranger] = w.nodes;
    await openCampaign(w, { token: token.address }, { rewardToken: token.address });
    await openCampaign(w);
    for (const id of [1n, 2n]) {
      await joinPath(w, id, [payee]);
      await buyFrom(w, id, id);
    }
    await nextAt(w, (await w.commerce.read.sale([2n])).holdUntil);
    await sent(w, write.finalize([[1n, 2n]], by(w.stranger)));
    await sent(w, write.claimRewards([[2n]], by(payee)));
    expect(await w.token.read.balanceOf([payee])).toBe(price / 10n);
    await sent(w, write.claimProceeds([2n], by(w.merchant)));
  });
});
