import { encodeFunctionData, type Hex, zeroAddress } from 'viem';
import { referralCommerceAbi } from '../../abis/referralCommerce.ts';
import type { WebhookEventType } from '../../engine/core/webhook-events.ts';
import type { Actor } from '../actors.ts';
import { finalize, sell, sellAndDispute, sellAndRefund } from './sales.ts';
import {
  type CampaignRecord,
  campaignIds,
  findCampaign,
  merchantOfCampaign,
  TriggerError,
  type TriggerWorld,
  tokenOfCampaign,
} from './world.ts';

/** Last step of a cause, once its transactions are settled. @returns id of the subject of the event. */
export type LastStep = (chainId: number, saleId: string) => Promise<string>;

/**
 * Adds the transactions that cause an event to the timeline: the last one emits it.
 * @throws {TriggerError} if it is not possible now.
 */
export type Cause = (world: TriggerWorld) => Promise<LastStep | undefined>;

/** Events that can be caused on the local chain, and how. */
export const causes: Readonly<Partial<Record<WebhookEventType, Cause>>> = {
  'sale.recorded': async (world) => {
    await sell(world);
    return undefined;
  },
  'sale.refunded': async (world) => {
    await sellAndRefund(world);
    return undefined;
  },
  'sale.finalized': async (world) => {
    await finalize(world, { withReward: false });
    return undefined;
  },
  'reward.claimable': async (world) => {
    await finalize(world, { withReward: true });
    return undefined;
  },
  'reward.claimed': claim,
  'node.joined': join,
  'campaign.funded': fund,
  'campaign.paused': async (world) => {
    const campaign = await findCampaign(world, 'be active', isRunning);
    changeState(world, campaign, 'pause');
    return undefined;
  },
  'campaign.resumed': resume,
  'dispute.opened': sellAndDispute,
};

function isRunning({ state }: CampaignRecord): boolean {
  return state === 'FUNDED_ACTIVE' || state === 'CREATED_UNFUNDED';
}

async function fund(world: TriggerWorld): Promise<undefined> {
  const { timeline } = world;
  const campaign = await findCampaign(world, 'be active', isRunning);
  const { campaignId, termsHash, price } = campaign;
  const merchant = merchantOfCampaign(campaign);
  timeline.equip(merchant, tokenOfCampaign(world, campaign));
  timeline.call(merchant, `funds campaign ${campaignId} with its price`, {
    functionName: 'fund',
    args: [BigInt(campaignId), termsHash, BigInt(price)],
  });
}

/** Resumes a paused campaign; if none is paused, pauses one first. */
async function resume(world: TriggerWorld): Promise<undefined> {
  const campaign = await findCampaign(
    world,
    'be active or paused',
    (one) => isRunning(one) || one.state === 'PAUSED',
  );
  if (campaign.state !== 'PAUSED') changeState(world, campaign, 'pause');
  changeState(world, campaign, 'resume');
}

function changeState(
  { timeline }: TriggerWorld,
  campaign: CampaignRecord,
  functionName: 'pause' | 'resume',
): void {
  const { campaignId } = campaign;
  timeline.call(merchantOfCampaign(campaign), `${functionName}s campaign ${campaignId}`, {
    functionName,
    args: [BigInt(campaignId)],
  });
}

/** Lets a distributor that may have another node join as a root. */
async function join(world: TriggerWorld): Promise<undefined> {
  const { timeline, actors } = world;
  const campaign = await findCampaign(
    world,
    'be active, and have room for a node',
    (one) => isRunning(one) && one.nodeCount < one.capacity.nodes,
  );
  const campaignId = BigInt(campaign.campaignId);
  const call = {
    functionName: 'join',
    args: [campaignId, campaign.termsHash, 0n, zeroAddress],
  } as const;
  const data = encodeFunctionData({ abi: referralCommerceAbi, ...call });
  const results = await callEach(world, actors.distributors, data);
  const owner =
    actors.distributors.find((_, i) => results[i] !== undefined) ??
    timeline.random.pick(actors.distributors);
  if (campaign.inviteOnly) {
    timeline.call(merchantOfCampaign(campaign), `lets ${owner.name} join`, {
      functionName: 'allowDistributor',
      args: [campaignId, owner.address, true],
    });
  }
  timeline.call(owner, `joins campaign ${campaignId} as a root`, call);
}

/** Claims for the first distributor that has claimable rewards. */
async function claim(world: TriggerWorld): Promise<undefined> {
  const { timeline, actors } = world;
  for (const campaignId of await campaignIds(world)) {
    const claimable = await claimableOf(world, campaignId);
    const owner = actors.distributors.find((_, i) => (claimable[i] ?? 0n) > 0n);
    if (owner === undefined) continue;
    timeline.call(owner, `claims its rewards of campaign ${campaignId}`, {
      functionName: 'claimRewards',
      args: [[BigInt(campaignId)]],
    });
    return;
  }
  throw new TriggerError(
    'No distributor of the sample has a claimable reward: `tributary trigger reward.claimable` makes one.',
  );
}

/** Claimable rewards of each distributor of the sample in a campaign, base units. */
async function claimableOf({ rpc, actors }: TriggerWorld, campaignId: string): Promise<bigint[]> {
  const answers = await rpc.batch(
    actors.distributors.map(({ address }) => {
      const data = encodeFunctionData({
        abi: referralCommerceAbi,
        functionName: 'claimableRewards',
        args: [BigInt(campaignId), address],
      });
      return { method: 'eth_call', params: [{ to: actors.contractAddress, data }, 'latest'] };
    }),
  );
  return answers.map((answer) => ('result' in answer ? BigInt(answer.result as Hex) : 0n));
}

/** Simulates a call of the contract by each account. @returns `undefined` for those that revert. */
async function callEach(
  { rpc, actors }: TriggerWorld,
  accounts: readonly Actor[],
  data: Hex,
): Promise<unknown[]> {
  const to = actors.contractAddress;
  const answers = await rpc.batch(
    accounts.map(({ address }) => ({
      method: 'eth_call',
      params: [{ from: address, to, data }, 'latest'],
    })),
  );
  return answers.map((answer) => ('result' in answer ? answer.result : undefined));
}
