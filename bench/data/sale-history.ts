import { type SplitInput, splitReward } from '../../engine/core/split.ts';
import { account, hash } from '../../test/support/history.ts';

/** Sales as a chain would have them, and nothing about them that chance decides. */
export interface SaleHistory {
  readonly sales: number;
  /** Sales go round them, one each in turn. */
  readonly campaigns: number;
  /** Nodes on the path of every sale; the nearest five of them are rewarded. */
  readonly depth: number;
  /** Life of each sale: only recorded, or also finalized when its hold is over. */
  readonly life: 'recorded' | 'finalized';
}

/** A row of the indexer's table. */
export interface FactRow {
  readonly campaignId: number;
  readonly block: ChainPlace;
  readonly transactionHash: string;
  readonly logIndex: number;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface ChainPlace {
  readonly number: number;
  readonly hash: `0x${string}`;
  /** Unix seconds. */
  readonly timestamp: number;
}

export const SALES_A_BLOCK = 50;
const BLOCK_SECONDS = 12;
const HOLD_SECONDS = 600;
const HOLD_BLOCKS = HOLD_SECONDS / BLOCK_SECONDS;
const GENESIS_TIME = 1_700_000_000;

/** Campaigns are made, funded and joined in this one; sales begin in the next. */
export const SETUP_BLOCK = 10;
const BUYERS = 5_000;
const WEIGHTS = [4_000, 2_500, 1_500, 1_200, 800];
const NO_CAP = ((1n << 256n) - 1n).toString();

const policy: SplitInput['policy'] = {
  commissionBps: 1_000,
  perSaleCap: 1n << 250n,
  campaignLiabilityCap: 1n << 250n,
  maxRewardedAncestors: WEIGHTS.length,
  weightsBps: WEIGHTS,
  shortPathMode: 'RENORMALIZE_EXISTING',
};

export function blockAt(number: number): ChainPlace {
  return {
    number,
    hash: hash(`block ${number}`),
    timestamp: GENESIS_TIME + number * BLOCK_SECONDS,
  };
}

/** The last block of a history with anything in it. */
export function lastBlock({ sales, life }: SaleHistory): number {
  const recorded = SETUP_BLOCK + Math.ceil(sales / SALES_A_BLOCK);
  return life === 'recorded' ? recorded : recorded + HOLD_BLOCKS;
}

/** Campaigns with a policy, a full vault and their nodes: all that is there before the first sale. */
export function* setupFacts(history: SaleHistory): Generator<FactRow> {
  const block = blockAt(SETUP_BLOCK);
  let log = 0;
  for (let campaign = 1; campaign <= history.campaigns; campaign += 1) {
    const fact = (name: string, args: FactRow['args']) => row(campaign, block, log++, name, args);
    yield fact('CampaignCreated', createdArgs(campaign));
    yield fact('PolicyScheduled', policyArgs(campaign, block.timestamp));
    yield fact('CampaignFunded', { account: merchantOf(campaign), amount: '1000000000000000000' });
    const { trunk, leaves } = shapeOf(history);
    for (let node = 0; node < trunk + leaves; node += 1) {
      const parent = node === 0 ? 0 : nodeId(history, campaign, Math.min(node, trunk) - 1);
      const id = nodeId(history, campaign, node);
      const owner = ownerOf(id);
      yield fact('NodeJoined', {
        nodeId: `${id}`,
        parentNodeId: `${trunk === 0 ? 0 : parent}`,
        owner,
      });
    }
  }
}

/** The sales, block by block, and what becomes of them. */
export function* saleFacts(history: SaleHistory): Generator<FactRow> {
  for (let number = SETUP_BLOCK + 1; number <= lastBlock(history); number += 1) {
    const block = blockAt(number);
    let log = 0;
    for (const sale of salesOf(history, number)) {
      const campaign = 1 + ((sale - 1) % history.campaigns);
      yield row(campaign, block, log++, 'SaleRecorded', saleArgs(history, campaign, sale, block));
    }
    if (history.life === 'recorded') continue;
    for (const sale of salesOf(history, number - HOLD_BLOCKS)) {
      const campaign = 1 + ((sale - 1) % history.campaigns);
      for (const args of vestedArgs(history, campaign, sale)) {
        yield row(campaign, block, log++, 'RewardVested', args);
      }
      yield row(campaign, block, log++, 'SaleFinalized', { saleId: `${sale}`, refundedTotal: '0' });
    }
  }
}

/** Numbers of the sales that a block records. */
function salesOf({ sales }: SaleHistory, block: number): readonly number[] {
  const before = (block - SETUP_BLOCK - 1) * SALES_A_BLOCK;
  const length = before < 0 ? 0 : Math.max(0, Math.min(SALES_A_BLOCK, sales - before));
  return Array.from({ length }, (_, i) => before + i + 1);
}

/** A trunk of nodes under each other, and leaves at its end, through which the sales come. */
function shapeOf({ sales, campaigns, depth }: SaleHistory): { trunk: number; leaves: number } {
  const leaves = Math.min(200, Math.max(4, Math.floor(sales / campaigns / 50)));
  return { trunk: depth - 1, leaves };
}

function nodeId(history: SaleHistory, campaign: number, node: number): number {
  const { trunk, leaves } = shapeOf(history);
  return (campaign - 1) * (trunk + leaves) + node + 1;
}

/** The nodes of a sale's path, nearest first, as far as they are rewarded. */
function pathOf(history: SaleHistory, campaign: number, sale: number): readonly number[] {
  const { trunk, leaves } = shapeOf(history);
  // In no step with the campaigns, so that every leaf of each has its turn.
  const leaf = trunk + (Math.floor(sale / history.campaigns) % leaves);
  const above = Array.from({ length: trunk }, (_, i) => trunk - 1 - i);
  return [leaf, ...above].slice(0, WEIGHTS.length).map((node) => nodeId(history, campaign, node));
}

function sharesOf(history: SaleHistory, campaign: number, sale: number) {
  const amount = 1_000_000n + BigInt((sale * 7_919) % 900_007);
  const path = pathOf(history, campaign, sale);
  // No cap and no budget is ever reached.
  const limits = { liability: 0n, available: 1n << 200n };
  const split = splitReward({ amount, ...limits, path: path.map(String), policy });
  return { amount, path, pool: split.pool, shares: split.shares.map((share) => `${share.amount}`) };
}

function saleArgs(history: SaleHistory, campaign: number, sale: number, block: ChainPlace) {
  const { amount, path, pool, shares } = sharesOf(history, campaign, sale);
  return {
    saleId: `${sale}`,
    campaignId: `${campaign}`,
    buyer: addressOf(`buyer ${sale % BUYERS}`),
    nodeId: `${path[0]}`,
    amount: `${amount}`,
    pool: `${pool}`,
    shares,
    policyVersion: 1,
    holdUntil: `${block.timestamp + HOLD_SECONDS}`,
    orderKey: hash(`order ${sale}`),
    skuHash: hash(`sku ${campaign}`),
  };
}

function vestedArgs(history: SaleHistory, campaign: number, sale: number) {
  const { path, shares } = sharesOf(history, campaign, sale);
  return shares.map((amount, i) => ({
    saleId: `${sale}`,
    campaignId: `${campaign}`,
    level: i + 1,
    nodeId: `${path[i]}`,
    recipient: ownerOf(path[i] ?? 0),
    amount,
  }));
}

function createdArgs(campaign: number) {
  return {
    campaignId: `${campaign}`,
    merchant: merchantOf(campaign),
    token: account(1),
    tokenDecimals: 6,
    tokenSymbol: 'TUSD',
    tokenName: 'Test Dollar',
    price: '1000000',
    skuHash: hash(`sku ${campaign}`),
    metadataHash: hash(`metadata ${campaign}`),
    startsAt: '0',
    endsAt: '4000000000',
    nodeCapacity: '100000000',
    saleCapacity: '100000000',
    trustMode: 0,
    inviteOnly: false,
    nodesPerAccount: 1,
    salt: hash(`salt ${campaign}`),
    termsHash: hash('terms'),
  };
}

function policyArgs(campaign: number, effectiveAt: number) {
  return {
    campaignId: `${campaign}`,
    version: 1,
    effectiveAt: `${effectiveAt}`,
    policy: {
      rewardToken: account(1),
      commissionBps: policy.commissionBps,
      perSaleCap: NO_CAP,
      campaignLiabilityCap: NO_CAP,
      maxRewardedAncestors: policy.maxRewardedAncestors,
      weightsBps: policy.weightsBps,
      shortPathMode: 0,
      holdSeconds: HOLD_SECONDS,
      expiry: '4000000000',
      excludesSelfReferral: false,
      regions: ['EU'],
      sharingRules: [],
    },
    eligibilityHash: hash('eligibility'),
    policyHash: hash(`policy ${campaign}`),
  };
}

function row(
  campaignId: number,
  block: ChainPlace,
  logIndex: number,
  name: string,
  args: FactRow['args'],
): FactRow {
  const transactionHash = hash(`transaction ${block.number} ${logIndex}`);
  return { campaignId, block, transactionHash, logIndex, name, args };
}

/** Merchant of a campaign. Each campaign has its own. */
export function merchantOf(campaign: number): `0x${string}` {
  return addressOf(`merchant ${campaign}`);
}

function ownerOf(node: number): string {
  return addressOf(`owner ${node}`);
}

function addressOf(text: string): `0x${string}` {
  return `0x${hash(text).slice(2, 42)}`;
}
