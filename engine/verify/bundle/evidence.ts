import type { Address } from '../../core/events.ts';
import { answered, type ChainAnswer } from '../chain/answer.ts';
import { byLocation, type DecodedLog, logsOf } from '../chain/decode.ts';
import { type ChainFacts, firstClaims } from '../chain/facts.ts';
import { type Subject, subjectOf } from '../subject.ts';
import type { BundleHeaders } from './headers.ts';

/** A sale, read from the logs that a bundle proves. */
export interface ProvenSale {
  readonly subject: Subject;
  /** The CampaignCreated of its campaign, before the sale. */
  readonly created: DecodedLog<'CampaignCreated'> | undefined;
  /** For each vested level the first claim of its recipient after it, oldest first. */
  readonly claims: readonly DecodedLog<'RewardsClaimed'>[];
}

/** The sale that a bundle is about. */
export interface ProvenAbout {
  readonly chainId: number;
  readonly contractAddress: Address;
  readonly saleId: string;
}

/** Reads a sale from all proven logs; `undefined` if none records it. */
export function saleIn(
  logs: readonly DecodedLog[],
  headers: Pick<BundleHeaders, 'byNumber'>,
  { saleId, ...about }: ProvenAbout,
): ProvenSale | undefined {
  const events = logs.filter((log) => 'saleId' in log.args && log.args.saleId === saleId);
  const [record] = logsOf(events, 'SaleRecorded');
  if (record === undefined) return undefined;
  const own = logs.filter(({ campaignId }) => campaignId === record.campaignId);
  const claims = firstClaims(events, logsOf(own, 'RewardsClaimed'));
  const header = headers.byNumber.get(record.location.blockNumber);
  const created = logsOf(own, 'CampaignCreated').find((log) => byLocation(log, record) < 0);
  const facts: ChainFacts = {
    record,
    events,
    earlier: answered([]),
    receipt: notInBundles,
    block: header === undefined ? notInBundles : answered(header),
    created: answered(created),
    policies: answered(logsOf(own, 'PolicyScheduled')),
    permissions: notInBundles,
    nodes: answered(new Map(logsOf(logs, 'NodeJoined').map((log) => [log.args.nodeId, log]))),
    neighbours: notInBundles,
    transaction: notInBundles,
    ledgerBefore: notInBundles,
    ledgerAfter: notInBundles,
    finalizedAt: timeOf(logsOf(events, 'SaleFinalized')[0], headers),
    reversedAt: timeOf(logsOf(events, 'SaleReversed')[0], headers),
    claims: answered(claims),
    later: notInBundles,
    view: notInBundles,
  };
  return {
    subject: subjectOf(facts, about),
    created,
    claims,
  };
}

const notInBundles: ChainAnswer<never> = {
  ok: false,
  reason: 'A bundle holds logs, and no state of the contract.',
};

function timeOf(
  log: DecodedLog | undefined,
  { byNumber }: Pick<BundleHeaders, 'byNumber'>,
): ChainAnswer<number | null> {
  if (log === undefined) return answered(null);
  const header = byNumber.get(log.location.blockNumber);
  return header === undefined ? notInBundles : answered(header.timestamp);
}

/** The logs that prove a sale, each once, oldest first: a bundle has the receipts of these. */
export function neededLogs({ subject, created, claims }: ProvenSale): readonly DecodedLog[] {
  const { facts, policy, path } = subject;
  const scheduled = policy.ok ? policy.value.scheduled : undefined;
  const joins = facts.nodes.ok ? facts.nodes.value : new Map<string, DecodedLog<'NodeJoined'>>();
  const nodes = path.ok ? path.value.nodes : [];
  const needed: (DecodedLog | undefined)[] = [
    created,
    scheduled,
    ...nodes.map(({ nodeId }) => joins.get(nodeId)),
    ...facts.events,
    ...claims,
  ];
  const present = needed.filter((log) => log !== undefined);
  return [...new Set(present)].sort(byLocation);
}
