import { transactionIndexOf } from '../../core/event-id.ts';
import type { Hex } from '../../core/events.ts';
import type { Applied, FoldState, Node } from '../../core/fold/index.ts';
import {
  as,
  byteHash,
  id,
  integer,
  nullable,
  rowCodec,
  seconds,
  small,
  text,
  type WrittenRow,
} from '../row.ts';
import { attesterDayRow, attesterLimitsRow, creditRow, nodeRow } from '../rows/account.ts';
import { campaignStateRow, policyRow } from '../rows/campaign.ts';
import { discrepancyRow, entryRow } from '../rows/event.ts';
import { missedRewardRow, saleStateRow } from '../rows/sale.ts';

/** A folded event, with the campaign's digest after it. */
export interface Folded extends Applied {
  readonly digest: Hex;
}

/*
 * Rows are encoded from a `Folded` as it is, by codecs with groups of its shape: copying its fields into one
 * object first takes several times as long as encoding.
 */
const eventKey = { seq: integer, fact: { campaignId: id } };

/** Codec of the columns of an event's transaction, from a `Folded`. */
export const transactionOfFact = {
  blockNumber: integer,
  timestamp: seconds.from('block_timestamp'),
  transactionHash: byteHash,
};

const journalTable = rowCodec({
  folded: {
    seq: integer,
    fact: {
      campaignId: id,
      blockHash: byteHash,
      logIndex: small,
      name: text,
      args: as<object>(),
      ...transactionOfFact,
    },
    digest: byteHash,
    snapshot: campaignStateRow.fields,
  },
  transactionIndex: small,
  saleId: nullable(id),
});

/** The row of `ledger.journal` of an event. */
export function journalRow(folded: Folded): WrittenRow {
  const { id: eventId, args } = folded.fact;
  const saleId = 'saleId' in args ? args.saleId : null;
  return journalTable.encode({ folded, transactionIndex: transactionIndexOf(eventId), saleId });
}

const entryTable = rowCodec({
  folded: { seq: integer, fact: { campaignId: id, blockNumber: integer } },
  ordinal: small,
  entry: entryRow.fields,
});

/** Rows of `ledger.entry` that an event makes: none for its reservations, which rows of `ledger.sale_level` state. */
export function entryRows(folded: Folded): WrittenRow[] {
  // A SaleRecorded makes reservations and nothing else.
  if (folded.fact.name === 'SaleRecorded') return [];
  return folded.entries.map((entry, ordinal) => entryTable.encode({ folded, ordinal, entry }));
}

const missedTable = rowCodec({ folded: eventKey, missed: missedRewardRow.fields });

/** Rows of `ledger.missed_reward` that an event makes. */
export function missedRows(folded: Folded): WrittenRow[] {
  return folded.missed.map((missed) => missedTable.encode({ folded, missed }));
}

const discrepancyTable = rowCodec({
  folded: eventKey,
  ordinal: small,
  discrepancy: discrepancyRow.fields,
});

/** Rows of `ledger.discrepancy` that an event makes. */
export function discrepancyRows(folded: Folded): WrittenRow[] {
  return folded.discrepancies.map((discrepancy, ordinal) =>
    discrepancyTable.encode({ folded, ordinal, discrepancy }),
  );
}

const versionTable = rowCodec({ folded: eventKey, sale: { saleId: id, ...saleStateRow.fields } });

/**
 * The row of `ledger.sale_version` of an event that changed a recorded sale's state or refunded total. The event that
 * records a sale makes none: it leaves the sale in `FIRST_STATE`.
 */
export function saleVersionRows(folded: Folded): WrittenRow[] {
  const { fact, sale } = folded;
  if (sale === null || fact.name === 'SaleRecorded') return [];
  return [versionTable.encode({ folded, sale })];
}

const nodeTable = rowCodec({
  folded: { seq: integer, fact: { campaignId: id, ...transactionOfFact } },
  node: nodeRow.fields,
});

/** The node that an event makes: that of a NodeJoined, unless the node exists already. */
export function joinedNode(
  state: FoldState,
  { fact, discrepancies }: Pick<Folded, 'fact' | 'discrepancies'>,
): Node | undefined {
  if (fact.name !== 'NodeJoined') return undefined;
  if (discrepancies.some(({ kind }) => kind === 'DUPLICATE')) return undefined;
  return state.nodes.get(fact.args.nodeId);
}

/** The row of `ledger.node` that an event makes. */
export function nodeRows(state: FoldState, folded: Folded): WrittenRow[] {
  const node = joinedNode(state, folded);
  return node === undefined ? [] : [nodeTable.encode({ folded, node })];
}

/** Key columns of a row that an event makes. */
function keyOf({ seq, fact }: Folded): WrittenRow {
  return { campaign_id: fact.campaignId, seq };
}

/** The row of `ledger.policy` of a PolicyScheduled. */
export function policyRows(folded: Folded): WrittenRow[] {
  const { fact } = folded;
  if (fact.name !== 'PolicyScheduled') return [];
  return [{ ...keyOf(folded), ...policyRow.encode({ ...fact.args, ...fact.args.policy }) }];
}

/** The row of `ledger.price` of an event that sets the price of a SKU. */
export function priceRows(folded: Folded): WrittenRow[] {
  const { fact } = folded;
  if (fact.name !== 'VariantPriced' && fact.name !== 'CampaignCreated') return [];
  return [{ ...keyOf(folded), sku_hash: fact.args.skuHash, price: fact.args.price }];
}

const noLimits = { per_order: null, daily: null, expiry: null };

/** The row of `ledger.permission` of an event that allows or forbids an account a role. */
export function permissionRows(folded: Folded): WrittenRow[] {
  const { fact } = folded;
  if (fact.name === 'DistributorAllowed') {
    return [{ ...keyOf(folded), role: 'distributor', ...fact.args, ...noLimits }];
  }
  if (fact.name !== 'AttesterAllowed') return [];
  const { account, ...limits } = fact.args;
  const allowed = limits.expiry > 0;
  return [
    { ...keyOf(folded), role: 'attester', account, allowed, ...attesterLimitsRow.encode(limits) },
  ];
}

/** The row of `ledger.attester_day` of a sale that an attester attested. */
export function attesterDayRows(folded: Folded): WrittenRow[] {
  const { attester } = folded;
  if (attester === null) return [];
  const { account } = attester;
  return [{ ...keyOf(folded), account, ...attesterDayRow.encode(attester) }];
}

/** The row of `ledger.credit` of an event that changed an account's credit. */
export function creditRows(folded: Folded): WrittenRow[] {
  const { fact, credit } = folded;
  if (credit === null) return [];
  return [{ ...keyOf(folded), block_number: fact.blockNumber, ...creditRow.encode(credit) }];
}

/** The row of `ledger.attestation` of a SaleAttested. */
export function attestationRows(folded: Folded): WrittenRow[] {
  const { fact } = folded;
  if (fact.name !== 'SaleAttested') return [];
  const { saleId, signer, nonce } = fact.args;
  return [{ ...keyOf(folded), sale_id: saleId, signer, nonce }];
}
