import { ByteWriter } from './byte-writer.ts';
import { ledgerFields, type Standing } from './campaign.ts';
import type { ChainEvent, Hex } from './events.ts';
import type { AccountCredit, Applied, EntryKind, RewardEntry } from './fold/state.ts';
import { toHex } from './hex-bytes.ts';

/**
 * Digests by which two ledgers compare a block by 32 bytes (design §5, `docs/digest.md`).
 * The hash is passed in, so that this folder depends on nothing: keccak-256 everywhere.
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

/** Used again for every event; nothing of it outlives a call. */
const record = new ByteWriter();

/** The next digest of a campaign: keccak-256(digest before ‖ what the event did, encoded). */
export function nextDigest(keccak256: Keccak256, before: Hex, applied: Applied): Hex {
  record.clear().hex(before);
  writeApplied(record, applied);
  return toHex(keccak256(record.bytes()));
}

/**
 * What an event was and did. Every part has a fixed length or is led by its length, so that no two
 * different ledgers encode alike.
 */
export function encodeApplied(applied: Applied): Uint8Array {
  writeApplied(record.clear(), applied);
  return record.bytes().slice();
}

function writeApplied(to: ByteWriter, { fact, standing, entries, credit }: Applied): void {
  to.ascii(fact.id);
  to.hex(fact.blockHash);
  to.sized(canonicalEvent(fact));
  to.count(entries.length);
  for (const entry of entries) writeEntry(to, entry);
  writeCredit(to, credit);
  writeStanding(to, standing);
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

/** One byte that says whether the event changed a credit, then whose credit, and what it is now. */
function writeCredit(to: ByteWriter, credit: AccountCredit | null): void {
  to.byte(credit === null ? 0 : 1);
  if (credit === null) return;
  to.hex(credit.account);
  to.word(credit.after);
}

function writeStanding(to: ByteWriter, standing: Standing): void {
  const { counts, funded, paused, ended } = standing;
  to.byte((funded ? 1 : 0) | (paused ? 2 : 0) | (ended ? 4 : 0));
  to.word(standing.price);
  to.long(standing.nodeCapacity);
  to.long(standing.saleCapacity);
  for (const field of ledgerFields) to.word(standing.ledger[field]);
  to.long(counts.pending);
  to.long(counts.finalized);
  to.long(counts.refunded);
  to.long(counts.reversed);
  to.long(counts.nodes);
}
