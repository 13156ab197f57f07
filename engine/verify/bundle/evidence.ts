import type { Address } from '../../core/events.ts';
import { type Answer, answered } from '../chain/answer.ts';
import { byPlace, type ChainLog, logsOf } from '../chain/decode.ts';
import type { ChainFacts } from '../chain/facts.ts';
import { type Subject, subjectOf } from '../subject.ts';
import type { BundleHeaders } from './headers.ts';

/** A sale by the logs that a bundle proves. */
export interface ProvenSale {
  readonly subject: Subject;
  /** The CampaignCreated of its campaign, before the sale. */
  readonly created: ChainLog<'CampaignCreated'> | undefined;
  /** For each vested level the first claim of its recipient after it, oldest first. */
  readonly claims: readonly ChainLog<'RewardsClaimed'>[];
}

/** What the sale is about, beside its logs. */
export interface ProvenAbout {
  readonly chainId: number;
  readonly contractAddress: Address;
  readonly saleId: string;
  /** The figures to compare. */
  readonly served: Subject['served'];
}

/** The sale by all logs that are proven; `undefined` where none records it. */
export function saleIn(
  logs: readonly ChainLog[],
  headers: Pick<BundleHeaders, 'byNumber'>,
  { saleId, ...about }: ProvenAbout,
): ProvenSale | undefined {
  const events = logs.filter((log) => 'saleId' in log.args && log.args.saleId === saleId);
  const [record] = logsOf(events, 'SaleRecorded');
  if (record === undefined) return undefined;
  const own = logs.filter(({ campaignId }) => campaignId === record.campaignId);
  const claims = firstClaims(events, logsOf(own, 'RewardsClaimed'));
  const header = headers.byNumber.get(record.place.blockNumber);
  const created = logsOf(own, 'CampaignCreated').find((log) => byPlace(log, record) < 0);
  const facts: ChainFacts = {
    record,
    events,
    receipt: notInBundles,
    block: header === undefined ? notInBundles : answered(header),
    created: answered(created),
    policies: answered(logsOf(own, 'PolicyScheduled')),
    nodes: answered(new Map(logsOf(logs, 'NodeJoined').map((log) => [log.args.nodeId, log]))),
    neighbours: notInBundles,
    ledgerBefore: notInBundles,
    ledgerAfter: notInBundles,
    finalizedAt: timeOf(logsOf(events, 'SaleFinalized')[0], headers),
    reversedAt: timeOf(logsOf(events, 'SaleReversed')[0], headers),
    claims: answered(claims),
    view: notInBundles,
  };
  return {
    subject: subjectOf(facts, about),
    created,
    claims,
  };
}

const notInBundles: Answer<never> = {
  ok: false,
  reason: 'A bundle holds logs, and no state of the contract.',
};

function timeOf(
  log: ChainLog | undefined,
  { byNumber }: Pick<BundleHeaders, 'byNumber'>,
): Answer<number | null> {
  if (log === undefined) return answered(null);
  const header = byNumber.get(log.place.blockNumber);
  return header === undefined ? notInBundles : answered(header.timestamp);
}

/**
 * For each vested level the first claim of its recipient after it: the one that paid it, or for which
 * a reversal left it alone (design §3).
 */
export function firstClaims(
  events: readonly ChainLog[],
  claims: readonly ChainLog<'RewardsClaimed'>[],
): readonly ChainLog<'RewardsClaimed'>[] {
  const first = logsOf(events, 'RewardVested').flatMap(
    (vested) =>
      claims.find(
        (claim) => claim.args.account === vested.args.recipient && byPlace(claim, vested) > 0,
      ) ?? [],
  );
  return [...new Set(first)].sort(byPlace);
}

/** The logs that a sale needs, each once, oldest first: what a bundle has receipts for. */
export function neededLogs({ subject, created, claims }: ProvenSale): readonly ChainLog[] {
  const { facts, policy, path } = subject;
  const scheduled = policy.ok ? policy.value.scheduled : undefined;
  const joins = facts.nodes.ok ? facts.nodes.value : new Map<string, ChainLog<'NodeJoined'>>();
  const nodes = path.ok ? path.value.nodes : [];
  const needed: (ChainLog | undefined)[] = [
    created,
    scheduled,
    ...nodes.map(({ nodeId }) => joins.get(nodeId)),
    ...facts.events,
    ...claims,
  ];
  const there = needed.filter((log) => log !== undefined);
  return [...new Set(there)].sort(byPlace);
}
