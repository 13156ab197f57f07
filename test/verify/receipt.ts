import { type Hex, parseEventLogs } from 'viem';
import { referralCommerceAbi } from '../../abis/index.ts';
import type { ReceiptFields } from '../../engine/core/receipt.ts';
import type { TestChain } from '../support/chain.ts';

/**
 * Receipts as the API would serve them, made from the chain's logs by other means than
 * `engine/verify` uses: all logs in one request, and the campaign's totals computed from its first event on.
 */
export async function receiptsOf(chain: TestChain) {
  const logs = await readLogs(chain);
  return (saleId: bigint) => receiptOf(chain, logs, saleId);
}

async function readLogs({ client, contract }: TestChain) {
  const logs = await client.getLogs({ address: contract, fromBlock: 0n });
  return parseEventLogs({ abi: referralCommerceAbi, logs });
}

type Logs = Awaited<ReturnType<typeof readLogs>>;
type Log = Logs[number];
type Args<N extends Log['eventName']> = Extract<Log, { eventName: N }>['args'];

function receiptOf(chain: TestChain, logs: Logs, saleId: bigint): ReceiptFields {
  const index = logs.findIndex(
    (log) => log.eventName === 'SaleRecorded' && log.args.saleId === saleId,
  );
  const record = logs[index];
  if (record?.eventName !== 'SaleRecorded') throw new Error(`There is no sale ${saleId}.`);
  const sale = record.args;
  const events = logs.filter((log) => 'saleId' in log.args && log.args.saleId === saleId);
  const names = events.map(({ eventName }) => eventName);
  const refunded = sum(events, (log) => (log.eventName === 'SaleRefunded' ? log.args.amount : 0n));
  const policy = policyOf(logs, sale);
  const path = pathOf(logs, sale.nodeId, policy.maxRewardedAncestors);
  const before = standingOf(logs.slice(0, index), sale.campaignId);
  const reserved = sale.shares.reduce((a, b) => a + b, 0n);
  return {
    chainId: 31_337,
    contractAddress: lower(chain.contract),
    saleId: `${saleId}`,
    campaignId: `${sale.campaignId}`,
    termsHash: termsOf(logs, sale.campaignId),
    buyer: lower(sale.buyer),
    nodeId: sale.nodeId === 0n ? null : `${sale.nodeId}`,
    amount: `${sale.amount}`,
    skuHash: sale.skuHash,
    orderKey: sale.orderKey,
    record: placeOf(record),
    policy,
    holdUntil: iso(sale.holdUntil),
    path,
    split: {
      gross: `${(sale.amount * BigInt(policy.commissionBps)) / 10_000n}`,
      pool: `${sale.pool}`,
      reserved: `${reserved}`,
      returned: `${sale.pool - reserved}`,
      liabilityBefore: `${before.liability}`,
      availableBefore: `${before.available}`,
      shares: sale.shares.map((amount, i) => ({
        level: i + 1,
        nodeId: path[i]?.nodeId ?? 'none',
        recipient: path[i]?.owner ?? '0x',
        amount: `${amount}`,
      })),
    },
    state: names.includes('SaleReversed')
      ? 'reversed'
      : names.includes('SaleFinalized')
        ? 'finalized'
        : refunded === sale.amount
          ? 'refunded'
          : 'pending',
    refundedTotal: `${refunded}`,
    transitions: events.map((log) => {
      const { campaignId: _campaignId, ...args } = { campaignId: 0n, ...log.args };
      return { ...placeOf(log), name: log.eventName, args: plain(args) };
    }),
  };
}

function termsOf(logs: Logs, campaignId: bigint): Hex {
  for (const log of logs) {
    if (log.eventName !== 'CampaignCreated' || log.args.campaignId !== campaignId) continue;
    return log.args.termsHash;
  }
  throw new Error(`There is no campaign ${campaignId}.`);
}

function policyOf(logs: Logs, sale: Args<'SaleRecorded'>): ReceiptFields['policy'] {
  for (const log of logs) {
    if (log.eventName !== 'PolicyScheduled') continue;
    if (log.args.campaignId !== sale.campaignId) continue;
    if (log.args.version !== sale.policyVersion) continue;
    const { version, effectiveAt, policy, eligibilityHash, policyHash } = log.args;
    return {
      version,
      effectiveAt: iso(effectiveAt),
      rewardToken: lower(policy.rewardToken),
      commissionBps: policy.commissionBps,
      perSaleCap: `${policy.perSaleCap}`,
      campaignLiabilityCap: `${policy.campaignLiabilityCap}`,
      maxRewardedAncestors: policy.maxRewardedAncestors,
      weightsBps: policy.weightsBps,
      shortPathMode: policy.shortPathMode === 0 ? 'RENORMALIZE_EXISTING' : 'RETURN_UNUSED',
      holdSeconds: policy.holdSeconds,
      expiry: iso(policy.expiry),
      // As the indexer stores text (src/encode.ts).
      regions: policy.regions.map((text) => text.replaceAll('\0', '\uFFFD')),
      sharingRules: policy.sharingRules,
      eligibilityHash,
      policyHash,
    };
  }
  throw new Error(`There is no policy version ${sale.policyVersion}.`);
}

function pathOf(logs: Logs, nodeId: bigint, most: number): ReceiptFields['path'] {
  if (nodeId === 0n || most === 0) return [];
  const joined = logs.find((log) => log.eventName === 'NodeJoined' && log.args.nodeId === nodeId);
  if (joined?.eventName !== 'NodeJoined') throw new Error(`There is no node ${nodeId}.`);
  const { parentNodeId, owner } = joined.args;
  const node = {
    nodeId: `${nodeId}`,
    parentNodeId: parentNodeId === 0n ? null : `${parentNodeId}`,
    owner: lower(owner),
  };
  return [node, ...pathOf(logs, parentNodeId, most - 1)];
}

/** Liability: all that was ever reserved and not given back. Available: deposits less the rest. */
function standingOf(logs: Logs, campaignId: bigint) {
  const own = logs.filter((log) => 'campaignId' in log.args && log.args.campaignId === campaignId);
  const total = (name: Log['eventName']) =>
    sum(own, (log) => (log.eventName === name && 'amount' in log.args ? log.args.amount : 0n));
  const reserved = sum(own, (log) =>
    log.eventName === 'SaleRecorded' ? log.args.shares.reduce((a, b) => a + b, 0n) : 0n,
  );
  const liability = reserved - total('RewardReleased') - total('RewardReversed');
  return {
    liability,
    available: total('CampaignFunded') - total('SurplusWithdrawn') - liability,
  };
}

function placeOf({ blockNumber, blockHash, transactionHash, logIndex }: Log) {
  return { blockNumber: `${blockNumber}`, blockHash, transactionHash, logIndex };
}

function sum(logs: readonly Log[], of: (log: Log) => bigint): bigint {
  return logs.reduce((total, log) => total + of(log), 0n);
}

function iso(seconds: bigint): string {
  return new Date(Number(seconds) * 1_000).toISOString();
}

function lower(hex: string): `0x${string}` {
  return `0x${hex.slice(2).toLowerCase()}`;
}

/** Arguments as the indexer's JSON: bigints as digits, hex in lower case. */
function plain(args: object): Record<string, unknown> {
  return JSON.parse(
    JSON.stringify(args, (_, value: unknown) => {
      if (typeof value === 'bigint') return value.toString();
      return typeof value === 'string' && value.startsWith('0x') ? value.toLowerCase() : value;
    }),
  );
}
