import { maxUint256 } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { referralCommerceAbi } from '../../abis/referralCommerce.ts';
import { testTokenAbi } from '../../abis/testToken.ts';
import { advance, buy, createCampaign, fund, giveTokens, join, send } from '../support/actions.ts';
import { accountAt, deployToken, startTestChain, type TestChain } from '../support/chain.ts';

const PRICE = 10_000n;
const COMMISSION = 5_000n;

let chain: TestChain;
let token: `0x${string}`;

beforeAll(async () => {
  chain = await startTestChain();
  token = await deployToken(chain);
});
afterAll(() => chain?.stop());

type Input = NonNullable<Parameters<typeof createCampaign>[3]>['input'];

/** An open campaign of 10,000 at 50 % in five levels, and the node of a distributor who sends buyers. */
async function openCampaign(input: Input = {}) {
  const [merchant, sender, ...buyers] = chain.accounts.slice(1, 8);
  if (merchant === undefined || sender === undefined) throw new Error('The chain has no accounts.');
  const policy = {
    commissionBps: 5_000,
    maxRewardedAncestors: 5,
    weightsBps: [4_000, 2_500, 1_500, 1_200, 800],
    perSaleCap: maxUint256,
  };
  const id = await createCampaign(chain, merchant, token, {
    input: { price: PRICE, ...input },
    policy,
  });
  await fund(chain, { id, token }, merchant, COMMISSION);
  return { id, merchant, sender, buyers, sendersNode: await join(chain, id, sender) };
}

/** Buys through the node, finalizes the sale, and claims; returns what each account got, base units. */
async function buyAndClaim(
  campaignId: bigint,
  buyer: `0x${string}`,
  nodeId: bigint,
  claimers: readonly `0x${string}`[],
): Promise<bigint[]> {
  await giveTokens(chain, token, buyer, PRICE);
  const { saleId } = await buy(chain, campaignId, buyer, { nodeId });
  await advance(chain, 60);
  await send(chain, buyer, 'finalize', [[saleId]]);
  const received: bigint[] = [];
  for (const account of claimers) {
    const before = await balanceOf(account);
    await send(chain, account, 'claimRewards', [[campaignId]]);
    received.push((await balanceOf(account)) - before);
  }
  return received;
}

function balanceOf(account: `0x${string}`): Promise<bigint> {
  const call = { address: token, abi: testTokenAbi, functionName: 'balanceOf' } as const;
  return chain.client.readContract({ ...call, args: [account] });
}

describe('a buyer of an open campaign (docs/use/trust-modes.md)', () => {
  it('gets the selling level if it joins under the node that sent it, and leaves the level above to that node', async () => {
    const { id, sender, sendersNode } = await openCampaign();
    const buyer = accountAt(chain.accounts, 8);
    const own = await join(chain, id, buyer, sendersNode);
    const [buyers, senders] = await buyAndClaim(id, buyer, own, [buyer, sender]);
    // Two of five levels share all of it: 40 and 25 parts of 65.
    expect([buyers, senders]).toEqual([3_077n, 1_923n]);
  });

  it('gets the whole commission back with five nodes of its own, and the node that sent it gets nothing', async () => {
    const { id, sender, sendersNode } = await openCampaign();
    const buyer = accountAt(chain.accounts, 8);
    let own = sendersNode;
    for (let level = 1; level <= 5; level += 1) own = await join(chain, id, buyer, own);
    const before = await balanceOf(buyer);
    expect(await buyAndClaim(id, buyer, own, [buyer])).toEqual([5_000n]);
    // Of the price, which the test gives it to pay, it has half again.
    expect((await balanceOf(buyer)) - before).toBe(5_000n);
    expect(await owedTo(id, sender)).toBe(0n);
  });

  it('gets it with five accounts, too, if the campaign allows one node for each', async () => {
    const { id, buyers, sendersNode } = await openCampaign({ nodesPerAccount: 1 });
    let node = sendersNode;
    for (const account of buyers) node = await join(chain, id, account, node);
    expect(buyers).toHaveLength(5);
    const [buyer] = buyers;
    if (buyer === undefined) throw new Error('The chain has no accounts.');
    const received = await buyAndClaim(id, buyer, node, buyers);
    expect(received.reduce((sum, amount) => sum + amount, 0n)).toBe(5_000n);
  });
});

function owedTo(campaignId: bigint, account: `0x${string}`): Promise<bigint> {
  const call = { address: chain.contract, abi: referralCommerceAbi } as const;
  return chain.client.readContract({
    ...call,
    functionName: 'claimableRewards',
    args: [campaignId, account],
  });
}
