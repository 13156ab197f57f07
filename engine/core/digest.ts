import { ledgerFields, type Standing } from './campaign.ts';
import type { Fact, Hex } from './events.ts';
import type { Applied, EntryKind, RewardEntry } from './fold/state.ts';

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

/** A campaign's digest at a block. */
export interface CampaignDigest {
  readonly campaignId: string;
  readonly digest: Hex;
}

/**
 * The Merkle root over campaigns in ascending order of id: leaves keccak-256(0x00 ‖ id ‖ digest),
 * nodes keccak-256(0x01 ‖ left ‖ right), and a node without a neighbour rises as it is.
 */
export function digestRoot(keccak256: Keccak256, campaigns: readonly CampaignDigest[]): Hex {
  const ordered = [...campaigns].sort((a, b) => compareIds(a.campaignId, b.campaignId));
  let level = ordered.map(({ campaignId, digest }) =>
    toHex(keccak256(fromHex(`0x00${word(BigInt(campaignId))}${digest.slice(2)}`))),
  );
  while (level.length > 1) {
    const above: Hex[] = [];
    for (let i = 0; i < level.length; i += 2) {
      const left = level[i] ?? EMPTY_DIGEST;
      const right = level[i + 1];
      above.push(
        right === undefined
          ? left
          : toHex(keccak256(fromHex(`0x01${left.slice(2)}${right.slice(2)}`))),
      );
    }
    level = above;
  }
  return level[0] ?? EMPTY_DIGEST;
}

/** Orders decimal ids by their number. */
export function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
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
export function canonicalEvent(fact: Fact): string {
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

/** 32 bytes, two's complement: a discrepancy may have driven a balance below zero. */
function word(value: bigint): string {
  return BigInt.asUintN(256, value).toString(16).padStart(64, '0');
}

/** 8 bytes. */
function long(value: number): string {
  return BigInt.asUintN(64, BigInt(value)).toString(16).padStart(16, '0');
}

function byte(value: number): string {
  return value.toString(16).padStart(2, '0');
}

/** 4 bytes. */
function count(value: number): string {
  return value.toString(16).padStart(8, '0');
}

function sized(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return count(bytes.length) + toHex(bytes).slice(2);
}

function asciiHex(text: string): string {
  return toHex(new TextEncoder().encode(text)).slice(2);
}

const HEX_BYTES = Array.from({ length: 256 }, (_, value) => byte(value));

function toHex(bytes: Uint8Array): Hex {
  let hex = '';
  for (const value of bytes) hex += HEX_BYTES[value];
  return `0x${hex}`;
}

/** Value of a hex digit by its character code; the digests hold lower-case digits alone. */
const DIGIT_VALUES = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(value) ? 0 : value;
});

function fromHex(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length / 2 - 1);
  for (let i = 0; i < bytes.length; i += 1) {
    const high = DIGIT_VALUES[hex.charCodeAt(2 * i + 2)] ?? 0;
    bytes[i] = high * 16 + (DIGIT_VALUES[hex.charCodeAt(2 * i + 3)] ?? 0);
  }
  return bytes;
}
