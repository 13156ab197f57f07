import { ledgerFields, type Standing } from './campaign.ts';
import type { ChainEvent, Hex } from './events.ts';
import type { Applied, EntryKind, RewardEntry } from './fold/state.ts';
import { byte, count, fromHex, long, toHex, word } from './hex-bytes.ts';

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

/** The next digest of a campaign: keccak-256(digest before ‖ what the event did, encoded). */
export function nextDigest(keccak256: Keccak256, before: Hex, applied: Applied): Hex {
  return toHex(keccak256(fromHex(before + encodeApplied(applied))));
}

/**
 * What an event was and did, as hex digits without 0x. Every part has a fixed length or is led by
 * its length, so that no two different ledgers encode alike.
 */
export function encodeApplied({ fact, standing, entries }: Applied): string {
  return [
    asciiHex(fact.id),
    fact.blockHash.slice(2),
    sized(canonicalEvent(fact)),
    count(entries.length),
    ...entries.map(encodeEntry),
    encodeStanding(standing),
  ].join('');
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

function encodeEntry({ kind, account, saleId, level, nodeId, amount, after }: RewardEntry): string {
  return [
    byte(ENTRY_CODES[kind]),
    account.slice(2),
    word(BigInt(saleId ?? 0)),
    byte(level ?? 0),
    word(BigInt(nodeId ?? 0)),
    word(amount),
    word(after.reserved),
    word(after.claimable),
    word(after.claimed),
    word(after.refunded),
    word(after.reversed),
  ].join('');
}

function encodeStanding(standing: Standing): string {
  const { counts, funded, paused, ended } = standing;
  const flags = (funded ? 1 : 0) | (paused ? 2 : 0) | (ended ? 4 : 0);
  return [
    byte(flags),
    word(standing.price),
    ...[standing.nodeCapacity, standing.saleCapacity].map(long),
    ...ledgerFields.map((field) => word(standing.ledger[field])),
    ...[counts.pending, counts.finalized, counts.refunded, counts.reversed, counts.nodes].map(long),
  ].join('');
}

function sized(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return count(bytes.length) + toHex(bytes).slice(2);
}

function asciiHex(text: string): string {
  return toHex(new TextEncoder().encode(text)).slice(2);
}
