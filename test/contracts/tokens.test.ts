import { encodeAbiParameters, encodeFunctionData, type Hex, stringToHex, toHex } from 'viem';
import { describe, expect, it } from 'vitest';
import { referralCommerceAbi } from '../../abis/index.ts';
import { feeTokenAbi, feeTokenBytecode } from '../../abis/test/feeToken.ts';
import { oddTokenAbi, oddTokenBytecode } from '../../abis/test/oddToken.ts';
import { buyArgs, fundArgs, refundArgs } from './calls.ts';
import { createCampaign, inputFor, joinPath, policyFor } from './scenes.ts';
import {
  by,
  deploy,
  maxUint256,
  nextAt,
  refusal,
  sent,
  tokenAt,
  useWorld,
  type World,
} from './support.ts';

const world = useWorld();

const six = toHex(6, { size: 32 });

function stringAnswer(text: string): Hex {
  return encodeAbiParameters([{ type: 'string' }], [text]);
}

/** The symbol and name that a campaign announces for a token with these raw answers. */
async function announced(w: World, decimals: Hex, symbol: Hex, name: Hex) {
  const token = await deploy(w.client, oddTokenAbi, oddTokenBytecode, [decimals, symbol, name]);
  const args = [inputFor(w, { token }), policyFor(w, { rewardToken: token })] as const;
  const { events } = await sent(w, w.commerce.write.createCampaign(args, by(w.merchant)));
  return events[0]?.args;
}

async function refusedToken(w: World, token: Hex) {
  const args = [inputFor(w, { token }), policyFor(w, { rewardToken: token })] as const;
  return refusal(w.commerce.simulate.createCampaign(args, { account: w.merchant }));
}

describe('a token that says little of itself', () => {
  it('stores an empty symbol and name for a token without them', async () => {
    const args = await announced(world(), six, '0x', '0x');
    expect(args).toMatchObject({ tokenDecimals: 6, tokenSymbol: '', tokenName: '' });
  });

  it('stores an empty symbol and name for a token that returns no strings', async () => {
    const offsetOutside = toHex(maxUint256, { size: 32 }) + six.slice(2);
    const lengthOutside = toHex(32, { size: 32 }) + toHex(maxUint256, { size: 32 }).slice(2);
    const args = await announced(world(), six, offsetOutside as Hex, lengthOutside as Hex);
    expect(args).toMatchObject({ tokenSymbol: '', tokenName: '' });
    expect(await announced(world(), six, '0x1234', `0x${'00'.repeat(40)}`)).toMatchObject({
      tokenSymbol: '',
      tokenName: '',
    });
  });

  it('reads a token that returns bytes32, as some old tokens do', async () => {
    const args = await announced(
      world(),
      six,
      stringToHex('MKR', { size: 32 }),
      stringToHex('M'.repeat(32)),
    );
    expect(args).toMatchObject({ tokenSymbol: 'MKR', tokenName: 'M'.repeat(32) });
  });

  it('truncates a text to 32 bytes, between characters', async () => {
    const args = await announced(
      world(),
      six,
      stringAnswer('x'.repeat(33)),
      stringAnswer(`${'x'.repeat(30)}€uro`),
    );
    expect(args).toMatchObject({ tokenSymbol: 'x'.repeat(32), tokenName: 'x'.repeat(30) });
  });

  it('stores a text of exactly 32 bytes', async () => {
    const text = `${'x'.repeat(29)}€`;
    const args = await announced(world(), six, stringAnswer(text), stringAnswer(text));
    expect(args).toMatchObject({ tokenSymbol: text, tokenName: text });
  });

  it('accepts a token with up to 36 decimals', async () => {
    const w = world();
    const args = await announced(w, toHex(36, { size: 32 }), '0x', '0x');
    expect(args).toMatchObject({ tokenDecimals: 36 });
    const answers = [toHex(37, { size: 32 }), '0x', '0x'];
    const token = await deploy(w.client, oddTokenAbi, oddTokenBytecode, answers);
    expect(await refusedToken(w, token)).toEqual({
      error: 'TokenDecimalsTooMany',
      values: [token, 37n],
    });
  });

  it('refuses a token without decimals, and an address without a contract', async () => {
    const w = world();
    const token = await deploy(w.client, oddTokenAbi, oddTokenBytecode, ['0x', '0x', '0x']);
    const error = 'TokenDecimalsMissing';
    expect(await refusedToken(w, token)).toEqual({ error, values: [token] });
    expect(await refusedToken(w, w.stranger)).toEqual({ error, values: [w.stranger] });
  });
});

/** A campaign of a token that takes a fee, funded with 9/10 of 1,000,000. */
async function feeCampaign(w: World, feeBps: bigint) {
  const address = await deploy(w.client, feeTokenAbi, feeTokenBytecode, [feeBps]);
  const token = tokenAt(w.client, address);
  for (const account of [w.merchant, w.buyer]) {
    await sent(w, token.write.mint([account, 10_000_000n], by(account)));
    await sent(w, token.write.approve([w.commerce.address, maxUint256], by(account)));
  }
  const input = { token: address, price: 100_000n };
  const campaignId = await createCampaign(w, input, { rewardToken: address });
  return { token, campaignId };
}

describe('a token that takes a fee', () => {
  it('credits received amounts, debits sent amounts, and covers the ledger, with a token that takes a fee', async () => {
    const w = world();
    const { commerce, merchant, buyer } = w;
    const { token, campaignId } = await feeCampaign(w, 1_000n);
    const funded = await sent(
      w,
      commerce.write.fund(await fundArgs(w, campaignId, 1_000_000n), by(merchant)),
    );
    expect(funded.events).toMatchObject([{ args: { amount: 900_000n } }]);
    await joinPath(w, campaignId, w.nodes.slice(0, 1));
    const order = await buyArgs(w, { campaignId, nodeId: 1n, maxAmount: 100_000n });
    const sale = await sent(w, commerce.write.buy(order, by(buyer)));
    expect(sale.events).toMatchObject([{ args: { amount: 90_000n, pool: 9_000n } }]);
    await sent(w, commerce.write.refund(await refundArgs(w, 1n, 40_000n), by(merchant)));
    await nextAt(w, sale.timestamp + 600n);
    await sent(w, commerce.write.finalize([[1n]], by(w.stranger)));
    await sent(w, commerce.write.claimProceeds([campaignId], by(merchant)));
    const before = await token.read.balanceOf([w.nodes[0]]);
    const claim = await sent(w, commerce.write.claimRewards([[campaignId]], by(w.nodes[0])));
    expect(claim.events).toMatchObject([{ args: { amount: 5_000n } }]);
    expect(await token.read.balanceOf([w.nodes[0]])).toBe(before + 4_500n);
    expect(await commerce.read.campaignLedger([campaignId])).toEqual({
      netDeposited: 900_000n,
      available: 895_000n,
      pendingReserved: 0n,
      vestedUnclaimed: 0n,
      rewardsClaimed: 5_000n,
      surplusWithdrawn: 0n,
      proceedsPending: 0n,
      proceedsClaimable: 0n,
      proceedsClaimed: 50_000n,
      buyerRefunded: 40_000n,
      creditOutstanding: 0n,
    });
    expect(await token.read.balanceOf([commerce.address])).toBe(895_000n);
  });

  it('refuses a transfer that delivers nothing', async () => {
    const w = world();
    const { token, campaignId } = await feeCampaign(w, 10_000n);
    const call = w.commerce.simulate.fund(await fundArgs(w, campaignId, 1_000n), {
      account: w.merchant,
    });
    expect(await refusal(call)).toEqual({ error: 'NothingReceived', values: [token.address] });
  });
});

describe('a token that is no token', () => {
  it('refuses to fund a campaign in an invalid token', async () => {
    const w = world();
    const token = await deploy(w.client, oddTokenAbi, oddTokenBytecode, [six, '0x', '0x']);
    const campaignId = await createCampaign(w, { token }, { rewardToken: token });
    const data = encodeFunctionData({
      abi: referralCommerceAbi,
      functionName: 'fund',
      args: await fundArgs(w, campaignId, 1n),
    });
    const call = w.client.call({ account: w.merchant, to: w.commerce.address, data });
    await expect(call).rejects.toThrow('revert');
  });
});
