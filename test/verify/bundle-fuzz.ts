import fc from 'fast-check';
import { keccak256 } from 'viem';
import { readHeader } from '../../engine/verify/bundle/header.ts';
import { type Bundle, bundleText } from '../../engine/verify/bundle/index.ts';
import { forged, rederived } from './bundles.ts';
import { LIES, shownAs } from './fuzz.ts';

/** A file that a forger made of an honest bundle. */
export interface Forgery {
  /** The changes, as `digit receipt.split.pool`. */
  readonly what: readonly string[];
  readonly file: string;
}

/** Whole numbers that decide a change, so that the same seed makes the same change. */
interface Choice {
  readonly kind: number;
  readonly area: number;
  readonly at: number;
  readonly to: number;
}

/** Random forgeries of a bundle, each with one to three changes; `others` lend their members. */
export function forgeriesOf(honest: Bundle, others: readonly Bundle[]): fc.Arbitrary<Forgery> {
  const number = fc.noBias(fc.nat());
  const choice = fc.record({ kind: number, area: number, at: number, to: number });
  return fc
    .record({
      choices: fc.noBias(fc.array(choice, { minLength: 1, maxLength: 3 })),
      finish: fc.noBias(fc.nat(9)),
    })
    .map(({ choices, finish }) => {
      const draft: Draft = structuredClone({ ...honest });
      const what = choices.map((one) => {
        // A receipt that is computed again from the proofs would undo changes of it.
        const area = finishes[finish] === DERIVED ? 5 + (one.area % 5) : one.area;
        return change(draft, others, { ...one, area });
      });
      return { what: [...what, finishes[finish] ?? 'hash'], file: fileOf(draft, finish) };
    });
}

/** A bundle that is being forged: any member may be anything. */
type Draft = Record<string, unknown>;

/** A value in a draft, and where it is. */
interface Spot {
  readonly owner: Record<string | number, unknown> | unknown[];
  readonly key: string | number;
  readonly path: string;
  readonly value: unknown;
}

type Change = (spot: Spot, choice: Choice, draft: Draft, others: readonly Bundle[]) => void;

/** Changes of the value at a random place, by name, and the values that they apply to. */
const changes: readonly (readonly [name: string, fits: (value: unknown) => boolean, Change])[] = [
  ['digit', hasDigit, (spot, { to }) => put(spot, withDigit(spot.value, to))],
  ['nibble', isHex, (spot, { to }) => put(spot, withNibble(String(spot.value), to))],
  ['swap', isLongList, ({ value }, { to }) => swap(value as unknown[], to)],
  ['remove', () => true, remove],
  ['repeat', () => true, repeat],
  ['type', () => true, (spot, { to }) => put(spot, retyped(spot.value, to))],
  ['lie', () => true, (spot, { to }) => put(spot, pick(LIES, to))],
  ['move', isScalar, moveFrom],
  ['exchange', () => true, exchange],
];

/** Makes one change of a draft; returns its name and place. */
function change(draft: Draft, others: readonly Bundle[], choice: Choice): string {
  // Two of eleven kinds forge a block itself, and all that names it.
  if (choice.kind % 11 >= changes.length) return forgePart(draft, choice);
  const [name, fits, apply] = pick(changes, choice.kind % 11);
  const spots = placesIn(draft, choice.area).filter(({ value }) => fits(value));
  if (spots.length === 0) return `${name} nowhere`;
  const spot = pick(spots, choice.at);
  apply(spot, choice, draft, others);
  return `${name} ${spot.path}`;
}

/** The places of which one is changed: half of the time in the receipt, and two times of ten the members of the file. */
function placesIn(draft: Draft, area: number): Spot[] {
  const part = area % 10;
  if (part < 5) return spotsIn(draft.receipt, 'receipt');
  if (part === 5) return spotsIn(draft.proofs, 'proofs');
  if (part === 6) return spotsIn(draft.headers, 'headers');
  return part === 7 ? spotsIn(draft) : membersOf(draft);
}

function membersOf(draft: Draft): Spot[] {
  return Object.entries(draft).map(([key, value]) => ({ owner: draft, key, path: key, value }));
}

function spotsIn(value: unknown, at = ''): Spot[] {
  if (typeof value !== 'object' || value === null) return [];
  const owner = value as Spot['owner'];
  return Object.entries(value).flatMap(([name, entry]) => {
    const key = Array.isArray(value) ? Number(name) : name;
    const path = at === '' ? name : `${at}.${name}`;
    return [{ owner, key, path, value: entry }, ...spotsIn(entry, path)];
  });
}

function put({ owner, key }: Spot, value: unknown): void {
  // A copy, so that the value is in one place only.
  Object.assign(owner, { [key]: structuredClone(value) });
}

function remove({ owner, key }: Spot): void {
  if (Array.isArray(owner)) owner.splice(Number(key), 1);
  else delete owner[key];
}

/** A list has the entry twice; an object has it under another of its names, or a new one. */
function repeat({ owner, key, value }: Spot, { to }: Choice): void {
  if (Array.isArray(owner)) owner.splice(to % (owner.length + 1), 0, structuredClone(value));
  else owner[pick([...Object.keys(owner), `${key}2`], to)] = structuredClone(value);
}

/** The value of another place of the same type. */
function moveFrom(spot: Spot, { to }: Choice, draft: Draft): void {
  const same = spotsIn(draft).filter(({ value }) => typeof value === typeof spot.value);
  put(spot, same.length === 0 ? null : pick(same, to).value);
}

/** The value that another bundle has at the place. */
function exchange(spot: Spot, { to }: Choice, _draft: Draft, others: readonly Bundle[]): void {
  const there = spotsIn(pick(others, to)).find(({ path }) => path === spot.path);
  put(spot, there?.value);
}

/** Changes a bit of a header or a node, and every hash that follows from it: a forger's own blocks. */
function forgePart(draft: Draft, { kind, at, to }: Choice): string {
  const lists = partsOf(draft);
  const list = lists[kind % 2 === 0 ? 0 : 1 + (at % Math.max(lists.length - 1, 1))];
  const part = list?.[at % Math.max(list.length, 1)];
  if (list === undefined || !isHex(part)) return 'bit nowhere';
  const i = 2 + (to % (part.length - 2));
  const bit = 1 << ((to >> 8) % 4);
  const flipped = (Number.parseInt(part[i] ?? '0', 16) ^ bit).toString(16);
  const changed = `${part.slice(0, i)}${flipped}${part.slice(i + 1)}`;
  list[at % list.length] = changed;
  renameHash(draft, part, changed);
  return `bit ${i} of a ${kind % 2 === 0 ? 'header' : 'node'}`;
}

/** The lists of headers and nodes; a list that a change made something else is left out. */
function partsOf({ headers, proofs }: Draft): unknown[][] {
  const nodes = Array.isArray(proofs) ? proofs.map((proof) => Object(proof).nodes) : [];
  return [headers, ...nodes].filter((list) => Array.isArray(list));
}

function renameHash(draft: Draft, before: string, after: string): void {
  const [old, fresh] = [hashOf(before), hashOf(after)];
  if (old === undefined || fresh === undefined) return;
  for (const list of partsOf(draft)) {
    for (const [i, part] of list.entries()) {
      if (typeof part !== 'string' || !part.includes(old.slice(2))) continue;
      const named = part.replaceAll(old.slice(2), fresh.slice(2));
      list[i] = named;
      renameHash(draft, part, named);
    }
  }
  const receipt = JSON.stringify(draft.receipt)?.replaceAll(old, fresh);
  if (receipt !== undefined) draft.receipt = JSON.parse(receipt);
}

function hashOf(part: string): string | undefined {
  return /^0x(?:[0-9a-f]{2})+$/.test(part) ? keccak256(part as `0x${string}`) : undefined;
}

const DERIVED = 'receipt and hash';
const finishes = [...Array<string>(6).fill('hash'), DERIVED, DERIVED, DERIVED, 'old hash'];

/** The file of a draft. Most forgers compute its hash again, some its receipt, too. */
function fileOf(draft: Draft, finish: number): string {
  if (finishes[finish] === 'old hash') return JSON.stringify(draft);
  const changed = finishes[finish] === DERIVED ? { ...draft, ...derivedFrom(draft) } : draft;
  try {
    return forged(changed);
  } catch {
    return JSON.stringify(draft);
  }
}

/** The headers of the blocks that are still proven, and the receipt that their proofs give; nothing if they give none. */
function derivedFrom(draft: Draft): object {
  const { proofs } = draft;
  const headers: unknown[] = Array.isArray(draft.headers) ? draft.headers : [];
  const numbers = new Set(
    (Array.isArray(proofs) ? proofs : []).map((proof) => Object(proof).blockNumber),
  );
  const left = headers.filter((rlp) => {
    const header = isHex(rlp) ? readHeader(rlp as `0x${string}`) : undefined;
    return header === undefined || numbers.has(header.number.toString());
  });
  const receipt = rederived({ ...draft, headers: left });
  return receipt === undefined ? {} : { headers: left, receipt };
}

function pick<T>(list: readonly T[], at: number): T {
  const value = list[at % list.length];
  if (value === undefined) throw new Error('There is nothing to choose from.');
  return value;
}

function isHex(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-f]+$/.test(value);
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function isLongList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 1;
}

function hasDigit(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value === 'string' && /^\d/.test(value);
}

function withDigit(value: unknown, to: number): unknown {
  const text = String(value);
  const places = [...text].flatMap((character, i) => (/\d/.test(character) ? [i] : []));
  const i = pick(places, to);
  const digit = (Number(text[i]) + 1 + (to % 9)) % 10;
  const changed = `${text.slice(0, i)}${digit}${text.slice(i + 1)}`;
  return typeof value === 'number' ? Number(changed) : changed;
}

function withNibble(hex: string, to: number): string {
  const i = 2 + (to % (hex.length - 2));
  const nibble = (Number.parseInt(hex[i] ?? '0', 16) + 1 + (to % 15)) % 16;
  return `${hex.slice(0, i)}${nibble.toString(16)}${hex.slice(i + 1)}`;
}

function swap(list: unknown[], to: number): void {
  const i = to % list.length;
  const j = (i + 1 + (to % (list.length - 1))) % list.length;
  [list[i], list[j]] = [list[j], list[i]];
}

function retyped(value: unknown, to: number): unknown {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return pick([text, Number(text), [value], { value }, null, !value, [], {}, `0${text}`], to);
}

/** Why a bundle that passes is true. */
export type Truth = 'same' | 'older';

/**
 * Compares what a passing bundle shows with the honest bundle of its sale, as text: `same` if all of it is equal, `older` if it is
 * the sale as it was before its last events, which is true as well; `undefined` if it shows something else.
 */
export function truthOf(file: string, honest: readonly Bundle[]): Truth | undefined {
  const shown: Bundle = JSON.parse(file);
  const truth = honest.find(({ saleId }) => saleId === shown.saleId);
  if (truth === undefined || shown.contractAddress !== truth.contractAddress) return undefined;
  if (shown.chainId !== truth.chainId) return undefined;
  if (shownAs(shown.receipt) === shownAs(truth.receipt)) return 'same';
  const { transitions, claims } = shown.receipt;
  const before = truth.receipt.transitions.slice(0, transitions.length);
  const names = before.map(({ name }) => name);
  const known = new Set(truth.receipt.claims.map(shownAs));
  const refund = before.findLast(({ name }) => name === 'SaleRefunded');
  const refundedTotal = String(refund?.args.refundedTotal ?? '0');
  const older = {
    ...truth.receipt,
    transitions: before,
    claims: claims.every((claim) => known.has(shownAs(claim))) ? claims : truth.receipt.claims,
    refundedTotal,
    state: stateAfter(names, refundedTotal === truth.receipt.amount),
  };
  return shownAs(shown.receipt) === shownAs(older) ? 'older' : undefined;
}

function stateAfter(names: readonly string[], isRefunded: boolean): string {
  if (names.includes('SaleReversed')) return 'reversed';
  if (names.includes('SaleFinalized')) return 'finalized';
  return isRefunded ? 'refunded' : 'pending';
}

/** True if a forgery is the honest bundle, byte by byte. */
export function isUnchanged({ file }: Forgery, honest: Bundle): boolean {
  return file === bundleText(honest);
}
