import { Attribution } from 'ox/erc8021';
import { type Hex, parseEventLogs } from 'viem';
import type { z } from 'zod';
import { referralCommerceAbi } from '../../abis/index.ts';
import type { Receipt } from '../../engine/contract/shapes/receipt.ts';
import type { AttachedCode } from '../../engine/core/calldata-suffix.ts';
import type { ReceiptFields, ReceiptLevel, ReceiptMissed } from '../../engine/core/receipt.ts';
import { selfReferralOf } from '../../engine/core/self-referral.ts';
import type { TestChain } from '../support/chain.ts';

/**
 * Receipts as the API would serve them, made from the chain's logs by other means than
 * `engine/verify` uses: all logs in one request, and the campaign's totals computed from its first event on.
 */
export async function receiptsOf(chain: TestChain) {
  const logs = await readLogs(chain);
  const times = new Map<bigint, bigint>();
  for (const number of new Set(logs.map(({ blockNumber }) => blockNumber))) {
    times.set(number, (await chain.client.getBlock({ blockNumber: number })).timestamp);
  }
  const inputs = new Map<string, Hex | null>();
  for (const { transactionHash: hash } of logs) {
    const { to, input } = await chain.client.getTransaction({ hash });
    inputs.set(hash, to === chain.contract.toLowerCase() ? input : null);
  }
  const now = (await chain.client.getBlock()).timestamp;
  return (saleId: bigint) => receiptOf({ chain, logs, times, inputs, now }, saleId);
}

/** A whole receipt, with the fields that the chain says nothing of. */
export function wholeReceipt(fields: ReceiptFields): z.infer<typeof Receipt> {
  const { merchant, tx, token, transitions, ...rest } = fields;
  const { name = '', ...unnamed } = token;
  return {
    ...rest,
    path: rest.path.map((node) => ({ ...node })),
    split: { ...rest.split, shares: rest.split.shares.map((share) => ({ ...share })) },
    levels: rest.levels.map((level) => ({ ...level })),
    missed: rest.missed.map((missed) => ({ ...missed })),
    policy: {
      ...rest.policy,
      weightsBps: [...rest.policy.weightsBps],
      regions: [...rest.policy.regions],
      sharingRules: [...rest.policy.sharingRules],
    },
    attribution: {
      ...rest.attribution,
      codes:
        rest.attribution.codes?.map((one) => ({
          ...one,
          registry: one.registry && { ...one.registry },
        })) ?? null,
    },
    transitions: transitions.map((event) => ({ ...event, args: { ...event.args } })),
    token: name === '' ? unnamed : { ...unnamed, name },
    merchant: { ...merchant, name: 'Blue Harbor', slug: 'blue-harbor' },
    tx: { hash: tx.hash, blockNumber: tx.blockNumber, at: rest.recordedAt, explorerUrl: null },
    product: {
      id: 'tea',
      title: 'Tea',
      summary: 'Green leaves',
      category: 'food',
      skuHash: rest.skuHash,
    },
    productVersion: 2,
    variant: { id: 'green', name: 'Green' },
    refundPolicy: 'Within three days',
    finality: 'safe',
    selfReferral: selfReferralOf(fields),
    discrepancies: [],
  };
}

/** All logs of a chain, the times of their blocks, and of its newest block; Unix seconds. */
interface ChainLogs {
  readonly chain: TestChain;
  readonly logs: Logs;
  readonly times: ReadonlyMap<bigint, bigint>;
  /** Calldata by transaction; `null` if it does not call the contract itself. */
  readonly inputs: ReadonlyMap<string, Hex | null>;
  readonly now: bigint;
}

async function readLogs({ client, contract }: TestChain) {
  const logs = await client.getLogs({ address: contract, fromBlock: 0n });
  return parseEventLogs({ abi: referralCommerceAbi, logs });
}

type Logs = Awaited<ReturnType<typeof readLogs>>;
type Log = Logs[number];
type Args<N extends Log['eventName']> = Extract<Log, { eventName: N }>['args'];

function receiptOf({ chain, logs, times, inputs, now }: ChainLogs, saleId: bigint): ReceiptFields {
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
  const before = vaultState(logs.slice(0, index), sale.campaignId);
  const reserved = sale.shares.reduce((a, b) => a + b, 0n);
  const created = creationOf(logs, sale.campaignId);
  const at = iso(times.get(record.blockNumber) ?? 0n);
  const finalized = events.find(({ eventName }) => eventName === 'SaleFinalized');
  const attested = events.find(({ eventName }) => eventName === 'SaleAttested');
  const state = names.includes('SaleReversed')
    ? 'reversed'
    : names.includes('SaleFinalized')
      ? 'finalized'
      : refunded === sale.amount
        ? 'refunded'
        : 'pending';
  return {
    chainId: chain.chainId,
    contractAddress: lower(chain.contract),
    saleId: `${saleId}`,
    campaignId: `${sale.campaignId}`,
    termsHash: created.termsHash,
    buyer: lower(sale.buyer),
    nodeId: sale.nodeId === 0n ? null : `${sale.nodeId}`,
    amount: `${sale.amount}`,
    skuHash: sale.skuHash,
    product: { skuHash: sale.skuHash },
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
    state,
    refundedTotal: `${refunded}`,
    transitions: events.map((log) => {
      const { campaignId: _campaignId, ...args } = { campaignId: 0n, ...log.args };
      return { ...placeOf(log), name: log.eventName, args: plain(args) };
    }),
    token: {
      address: lower(created.token),
      symbol: created.tokenSymbol,
      decimals: created.tokenDecimals,
      ...(created.tokenName !== '' && { name: created.tokenName }),
    },
    merchant: { address: lower(created.merchant) },
    trustMode: (['NATIVE_ONCHAIN', 'MERCHANT_ATTESTED', 'THIRD_PARTY_VERIFIED'] as const)[
      created.trustMode
    ] as ReceiptFields['trustMode'],
    recordedAt: at,
    finalizedAt: finalized ? iso(times.get(finalized.blockNumber) ?? 0n) : null,
    tx: { hash: record.transactionHash, blockNumber: `${record.blockNumber}`, at },
    levels: sale.shares.map((share, i) => levelOf({ logs, events, state, path }, share, i + 1)),
    missed: missedOf(logs, sale, { policy, path, before }),
    hold: {
      holdSeconds: policy.holdSeconds,
      holdUntil: iso(sale.holdUntil),
      over: now >= sale.holdUntil,
    },
    attestation:
      attested?.eventName === 'SaleAttested'
        ? { signer: lower(attested.args.signer), nonce: `${attested.args.nonce}` }
        : null,
    attribution: {
      nodeId: sale.nodeId === 0n ? null : `${sale.nodeId}`,
      codes: codesOf(inputs.get(record.transactionHash) ?? null),
    },
  };
}

/** The codes of calldata, as another implementation of the ERC reads them. */
function codesOf(input: Hex | null): ReceiptFields['attribution']['codes'] {
  if (input === null) return null;
  const { codes, codeRegistry, appCode, walletCode, serviceCodes, registries } =
    Attribution.fromData(input) ?? {};
  const list = (
    given: readonly string[],
    role: AttachedCode['role'],
    registry?: AttachedCode['registry'],
  ) => given.map((code) => ({ code, role, registry: registry ?? null }));
  return [
    ...list(codes ?? [], null, codeRegistry),
    ...list(appCode === undefined ? [] : [appCode], 'app', registries?.app),
    ...list(walletCode === undefined ? [] : [walletCode], 'wallet', registries?.wallet),
    ...list(serviceCodes ?? [], 'service'),
  ];
}

interface LevelSubject {
  readonly logs: Logs;
  readonly events: Logs;
  readonly state: ReceiptFields['state'];
  readonly path: ReceiptFields['path'];
}

function levelOf(
  { logs, events, state, path }: LevelSubject,
  share: bigint,
  level: number,
): ReceiptLevel {
  const moved = (name: Log['eventName']) =>
    sum(events, (log) =>
      log.eventName === name && 'level' in log.args && log.args.level === level
        ? log.args.amount
        : 0n,
    );
  const [released, vested, reversed] = [
    moved('RewardReleased'),
    moved('RewardVested'),
    moved('RewardReversed'),
  ];
  const vestedAt = logs.findIndex(
    (log) => log.eventName === 'RewardVested' && events.includes(log) && log.args.level === level,
  );
  const isPaid = logs.some(
    (log, i) =>
      log.eventName === 'RewardsClaimed' &&
      vestedAt >= 0 &&
      i > vestedAt &&
      'campaignId' in log.args &&
      log.args.campaignId === Object(logs[vestedAt]).args.campaignId &&
      lower(log.args.account) === path[level - 1]?.owner,
  );
  const byState = {
    pending: 'reserved',
    finalized: 'claimable',
    refunded: 'refunded',
    reversed: 'reversed',
  } as const;
  const ownState =
    reversed > 0n
      ? 'reversed'
      : vested > 0n
        ? isPaid
          ? 'claimed'
          : 'claimable'
        : share - released > 0n
          ? 'reserved'
          : released > 0n
            ? 'refunded'
            : byState[state];
  return {
    level,
    nodeId: path[level - 1]?.nodeId ?? 'none',
    recipient: path[level - 1]?.owner ?? '0x',
    state: ownState,
    share: `${share}`,
    reserved: `${share - released - vested}`,
    released: `${released}`,
    vested: `${vested}`,
    reversed: `${reversed}`,
  };
}

/** What each cap cost each level, and the ancestor beyond the rewarded levels. */
function missedOf(
  logs: Logs,
  sale: Args<'SaleRecorded'>,
  {
    policy,
    path,
    before,
  }: {
    readonly policy: ReceiptFields['policy'];
    readonly path: ReceiptFields['path'];
    readonly before: ReturnType<typeof vaultState>;
  },
): ReceiptMissed[] {
  const weights = policy.weightsBps.slice(0, path.length).map(BigInt);
  const whole =
    policy.shortPathMode === 'RETURN_UNUSED' ? 10_000n : weights.reduce((a, b) => a + b, 0n);
  let pool = (sale.amount * BigInt(policy.commissionBps)) / 10_000n;
  const missed: ReceiptMissed[] = [];
  for (const [reason, cap] of [
    ['SALE_CAP', BigInt(policy.perSaleCap)],
    ['LIABILITY_CAP', BigInt(policy.campaignLiabilityCap) - before.liability],
    ['BUDGET', before.available],
  ] as const) {
    const left = cap < pool ? cap : pool;
    for (const [i, weight] of weights.entries()) {
      const amount = (pool * weight) / whole - (left * weight) / whole;
      const node = path[i];
      if (amount === 0n || node === undefined) continue;
      const { nodeId, owner: recipient } = node;
      missed.push({ level: i + 1, nodeId, recipient, reason, amount: `${amount}` });
    }
    pool = left;
  }
  missed.sort((a, b) => a.level - b.level);
  const last = path.at(-1);
  if (last === undefined || last.parentNodeId === null) return missed;
  const [beyond] = pathOf(logs, BigInt(last.parentNodeId), 1);
  if (beyond === undefined) throw new Error(`There is no node ${last.parentNodeId}.`);
  const { nodeId, owner: recipient } = beyond;
  return [...missed, { level: path.length + 1, nodeId, recipient, reason: 'DEPTH', amount: null }];
}

function creationOf(logs: Logs, campaignId: bigint): Args<'CampaignCreated'> {
  for (const log of logs) {
    if (log.eventName !== 'CampaignCreated' || log.args.campaignId !== campaignId) continue;
    return log.args;
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
      excludesSelfReferral: policy.excludesSelfReferral,
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
function vaultState(logs: Logs, campaignId: bigint) {
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
