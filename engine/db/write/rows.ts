import { transactionIndexOf } from '../../core/event-id.ts';
import type { Hex } from '../../core/events.ts';
import type { Applied, FoldState, Node } from '../../core/fold/index.ts';
import {
  address,
  amount,
  as,
  byteHash,
  type ColumnWriter,
  flag,
  hex,
  id,
  integer,
  nullable,
  optional,
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

/** How a value becomes a row, by JSON or by COPY. */
export interface ValueCodec<V> {
  readonly names: readonly string[];
  readonly encode: (value: V) => WrittenRow;
  readonly write: (to: ColumnWriter, value: V) => void;
}

/** The rows that an item of a batch makes in a table, as values of the table's codec. */
export interface RowsOf<I, V> {
  readonly codec: ValueCodec<V>;
  readonly values: (item: I) => readonly V[];
}

/** Pairs a table's codec with the values that an item makes. */
export function rowsOf<I, V>(
  codec: ValueCodec<V>,
  values: (item: I) => readonly V[],
): RowsOf<I, V> {
  return { codec, values };
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
export const journalRows = rowsOf(journalTable, (folded: Folded) => {
  const { id: eventId, args } = folded.fact;
  const saleId = 'saleId' in args ? args.saleId : null;
  return [{ folded, transactionIndex: transactionIndexOf(eventId), saleId }];
});

const entryTable = rowCodec({
  folded: { seq: integer, fact: { campaignId: id, blockNumber: integer } },
  ordinal: small,
  entry: entryRow.fields,
});

/** Rows of `ledger.entry` of an event: none for its reservations, which rows of `ledger.sale_level` state. */
export const entryRows = rowsOf(entryTable, (folded: Folded) => {
  // A SaleRecorded makes reservations and nothing else.
  if (folded.fact.name === 'SaleRecorded') return [];
  return folded.entries.map((entry, ordinal) => ({ folded, ordinal, entry }));
});

const missedTable = rowCodec({ folded: eventKey, missed: missedRewardRow.fields });

/** Rows of `ledger.missed_reward` of an event. */
export const missedRows = rowsOf(missedTable, (folded: Folded) =>
  folded.missed.map((missed) => ({ folded, missed })),
);

const discrepancyTable = rowCodec({
  folded: eventKey,
  ordinal: small,
  discrepancy: discrepancyRow.fields,
});

/** Rows of `ledger.discrepancy` of an event. */
export const discrepancyRows = rowsOf(discrepancyTable, (folded: Folded) =>
  folded.discrepancies.map((discrepancy, ordinal) => ({ folded, ordinal, discrepancy })),
);

const versionTable = rowCodec({ folded: eventKey, sale: { saleId: id, ...saleStateRow.fields } });

/**
 * The row of `ledger.sale_version` of an event that changed a recorded sale's state or refunded total. The event that
 * records a sale makes none: it leaves the sale in `FIRST_STATE`.
 */
export const saleVersionRows = rowsOf(versionTable, (folded: Folded) => {
  const { fact, sale } = folded;
  return sale === null || fact.name === 'SaleRecorded' ? [] : [{ folded, sale }];
});

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

/** Rows of `ledger.node` of the events of a campaign. */
export const nodeRows = rowsOf(
  nodeTable,
  ({ state, folded }: { readonly state: FoldState; readonly folded: readonly Folded[] }) =>
    folded.flatMap((one) => {
      const node = joinedNode(state, one);
      return node === undefined ? [] : [{ folded: one, node }];
    }),
);

const policyTable = rowCodec({ folded: eventKey, policy: policyRow.fields });

/** The row of `ledger.policy` of a PolicyScheduled. */
export const policyRows = rowsOf(policyTable, (folded: Folded) => {
  const { fact } = folded;
  if (fact.name !== 'PolicyScheduled') return [];
  return [{ folded, policy: { ...fact.args, ...fact.args.policy } }];
});

const priceTable = rowCodec({ folded: eventKey, args: { skuHash: hex, price: amount } });

/** The row of `ledger.price` of an event that sets the price of a SKU. */
export const priceRows = rowsOf(priceTable, (folded: Folded) => {
  const { fact } = folded;
  if (fact.name !== 'VariantPriced' && fact.name !== 'CampaignCreated') return [];
  return [{ folded, args: fact.args }];
});

const permissionTable = rowCodec({
  folded: eventKey,
  role: text,
  account: address,
  allowed: flag,
  /** `null` for a distributor. */
  limits: optional(attesterLimitsRow.fields),
});

/** The row of `ledger.permission` of an event that allows or forbids an account a role. */
export const permissionRows = rowsOf(permissionTable, (folded: Folded) => {
  const { fact } = folded;
  if (fact.name === 'DistributorAllowed') {
    return [{ folded, role: 'distributor', ...fact.args, limits: null }];
  }
  if (fact.name !== 'AttesterAllowed') return [];
  const { account, ...limits } = fact.args;
  return [{ folded, role: 'attester', account, allowed: limits.expiry > 0, limits }];
});

const attesterDayTable = rowCodec({
  folded: eventKey,
  attester: { account: address, ...attesterDayRow.fields },
});

/** The row of `ledger.attester_day` of a sale that an attester attested. */
export const attesterDayRows = rowsOf(attesterDayTable, (folded: Folded) => {
  const { attester } = folded;
  return attester === null ? [] : [{ folded, attester }];
});

const creditTable = rowCodec({
  folded: { seq: integer, fact: { campaignId: id, blockNumber: integer } },
  credit: creditRow.fields,
});

/** The row of `ledger.credit` of an event that changed an account's credit. */
export const creditRows = rowsOf(creditTable, (folded: Folded) => {
  const { credit } = folded;
  return credit === null ? [] : [{ folded, credit }];
});

const attestationTable = rowCodec({
  folded: eventKey,
  args: { saleId: id, signer: address, nonce: id },
});

/** The row of `ledger.attestation` of a SaleAttested. */
export const attestationRows = rowsOf(attestationTable, (folded: Folded) => {
  const { fact } = folded;
  return fact.name === 'SaleAttested' ? [{ folded, args: fact.args }] : [];
});
