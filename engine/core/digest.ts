import { ByteWriter } from './byte-writer.ts';
import { type CampaignSnapshot, ledgerFields } from './campaign.ts';
import type { ChainEvent, Hex } from './events.ts';
import type { AccountCredit, Applied, EntryKind, RewardEntry } from './fold/state.ts';
import { toHex } from './hex-bytes.ts';

/**
 * keccak-256, the hash of every digest (docs/reference/digest.md): two ledgers agree on a block if 32 bytes do.
 * It is passed in, so that this folder depends on no package.
 */
export type Keccak256 = (bytes: Uint8Array) => Uint8Array;

/** The digest of a campaign before its first event, and the root of no campaigns. */
export const EMPTY_DIGEST: Hex = `0x${'00'.repeat(32)}`;

const ENTRY_CODES: Readonly<Record<EntryKind, number>> = {
  reserve: 1,
  release: 2,
  vest: 3,
  claim: 4,
  reverse: 5,
  return: 6,
};

/** Buffer that every call reuses. */
const record = new ByteWriter();

/** The next digest of a campaign: keccak-256(previous digest ‖ encoded effects of the event). */
export function nextDigest(keccak256: Keccak256, before: Hex, applied: Applied): Hex {
  record.clear().hex(before);
  writeApplied(record, applied);
  return toHex(keccak256(record.bytes()));
}

/**
 * Encodes an event and its effects. Every part has a fixed length or is preceded by its length, so
 * that two different ledgers never have the same encoding.
 * @internal for tests of the encoding.
 */
export function encodeApplied(applied: Applied): Uint8Array {
  writeApplied(record.clear(), applied);
  return record.bytes().slice();
}

function writeApplied(to: ByteWriter, { fact, snapshot, entries, credit }: Applied): void {
  to.ascii(fact.id);
  to.hex(fact.blockHash);
  to.sized(canonicalEvent(fact));
  to.count(entries.length);
  for (const entry of entries) writeEntry(to, entry);
  writeCredit(to, credit);
  writeSnapshot(to, snapshot);
}

/**
 * An event as JSON without white space: its name, then its arguments in the order of the ABI
 * without campaignId; integers as decimal digits in quotes, enums by name, structs as lists.
 */
export function canonicalEvent(fact: ChainEvent): string {
  return JSON.stringify([fact.name, ...valuesOf(fact.args)]);
}

function valuesOf(struct: object): unknown[] {
  return Object.values(struct).map(canonicalValue);
}

function canonicalValue(value: unknown): unknown {
  if (typeof value === 'bigint' || typeof value === 'number') return value.toString();
  if (Array.isArray(value)) return value.map(canonicalValue);
  if (typeof value === 'object' && value !== null) return valuesOf(value);
  return value;
}

function writeEntry(to: ByteWriter, entry: RewardEntry): void {
  const { after } = entry;
  to.byte(ENTRY_CODES[entry.kind]);
  to.hex(entry.account);
  to.id(entry.saleId ?? '0');
  to.byte(entry.level ?? 0);
  to.id(entry.nodeId ?? '0');
  to.word(entry.amount);
  to.word(after.reserved);
  to.word(after.claimable);
  to.word(after.claimed);
  to.word(after.refunded);
  to.word(after.reversed);
}

/** Writes 1 and the changed credit (account, new amount), or 0 if the event changed none. */
function writeCredit(to: ByteWriter, credit: AccountCredit | null): void {
  to.byte(credit === null ? 0 : 1);
  if (credit === null) return;
  to.hex(credit.account);
  to.word(credit.after);
}

function writeSnapshot(to: ByteWriter, snapshot: CampaignSnapshot): void {
  const { counts, funded, paused, ended } = snapshot;
  to.byte((funded ? 1 : 0) | (paused ? 2 : 0) | (ended ? 4 : 0));
  to.word(snapshot.price);
  to.long(snapshot.nodeCapacity);
  to.long(snapshot.saleCapacity);
  for (const field of ledgerFields) to.word(snapshot.ledger[field]);
  to.long(counts.pending);
  to.long(counts.finalized);
  to.long(counts.refunded);
  to.long(counts.reversed);
  to.long(counts.nodes);
}
