import { keccak256 } from 'viem';

/**
 * The digests of docs/reference/digest.md written again from that page, without a line of the engine's: what a
 * stranger would write who doubts ours. Bytes are Buffers, numbers bigints.
 */

/** An event of `system.digestEvents`, or of the page's vectors. */
export interface PageEvent {
  readonly eventId: string;
  readonly blockHash: string;
  readonly event: string;
  readonly entries: readonly PageEntry[];
  readonly credit: { readonly account: string; readonly after: string } | null;
  readonly standing: PageState;
  readonly digest: string;
}

interface PageEntry {
  readonly kind: string;
  readonly account: string;
  readonly saleId: string | null;
  readonly level: number | null;
  readonly nodeId: string | null;
  readonly amount: string;
  readonly after: Readonly<Record<string, string>>;
}

interface PageState {
  readonly funded: boolean;
  readonly paused: boolean;
  readonly ended: boolean;
  readonly price: string;
  readonly nodeCapacity: number;
  readonly saleCapacity: number;
  readonly ledger: readonly string[];
  readonly counts: readonly number[];
}

const KINDS = ['reserve', 'release', 'vest', 'claim', 'reverse', 'return'];
const BALANCES = ['reserved', 'claimable', 'claimed', 'refunded', 'reversed'];

function hashOf(...parts: Buffer[]): Buffer {
  return Buffer.from(keccak256(Buffer.concat(parts), 'bytes'));
}

/** Big-endian, two's complement. */
function integer(value: bigint | number | string, bytes: number): Buffer {
  const digits = BigInt.asUintN(8 * bytes, BigInt(value)).toString(16);
  return Buffer.from(digits.padStart(2 * bytes, '0'), 'hex');
}

function fromHex(hex: string): Buffer {
  return Buffer.from(hex.slice(2), 'hex');
}

function record({ eventId, blockHash, event, entries, credit, standing }: PageEvent): Buffer {
  const text = Buffer.from(event, 'utf8');
  return Buffer.concat([
    Buffer.from(eventId, 'ascii'),
    fromHex(blockHash),
    integer(text.length, 4),
    text,
    integer(entries.length, 4),
    ...entries.map((entry) =>
      Buffer.concat([
        integer(KINDS.indexOf(entry.kind) + 1, 1),
        fromHex(entry.account),
        integer(entry.saleId ?? 0, 32),
        integer(entry.level ?? 0, 1),
        integer(entry.nodeId ?? 0, 32),
        integer(entry.amount, 32),
        ...BALANCES.map((name) => integer(entry.after[name] ?? 0, 32)),
      ]),
    ),
    integer(credit === null ? 0 : 1, 1),
    ...(credit === null ? [] : [fromHex(credit.account), integer(credit.after, 32)]),
    integer(Number(standing.funded) + 2 * Number(standing.paused) + 4 * Number(standing.ended), 1),
    integer(standing.price, 32),
    integer(standing.nodeCapacity, 8),
    integer(standing.saleCapacity, 8),
    ...standing.ledger.map((amount) => integer(amount, 32)),
    ...standing.counts.map((count) => integer(count, 8)),
  ]);
}

/** The digests of a campaign after each of its events, from its first on. */
export function campaignDigests(events: readonly PageEvent[]): string[] {
  let digest: Buffer = Buffer.alloc(32);
  return events.map((event) => {
    digest = hashOf(digest, record(event));
    return `0x${digest.toString('hex')}`;
  });
}

interface PageCampaign {
  readonly campaignId: string;
  readonly digest: string;
}

function leaf({ campaignId, digest }: PageCampaign): Buffer {
  return hashOf(integer(0, 1), integer(campaignId, 32), fromHex(digest));
}

export function merkleRoot(campaigns: readonly PageCampaign[]): string {
  const inOrder = [...campaigns].sort((a, b) =>
    Number(BigInt(a.campaignId) - BigInt(b.campaignId)),
  );
  let level = inOrder.map(leaf);
  if (level.length === 0) return `0x${'00'.repeat(32)}`;
  while (level.length > 1) {
    const above: Buffer[] = [];
    for (let i = 0; i < level.length; i += 2) {
      const [left, right] = level.slice(i, i + 2);
      if (left === undefined) throw new Error('a level has no gaps');
      above.push(right === undefined ? left : hashOf(integer(1, 1), left, right));
    }
    level = above;
  }
  return `0x${level[0]?.toString('hex')}`;
}

interface PageStep {
  readonly side: string;
  readonly hash: string;
}

export function provenRoot(campaign: PageCampaign, proof: readonly PageStep[]): string {
  const root = proof.reduce((hash, step) => {
    const other = fromHex(step.hash);
    return step.side === 'left'
      ? hashOf(integer(1, 1), other, hash)
      : hashOf(integer(1, 1), hash, other);
  }, leaf(campaign));
  return `0x${root.toString('hex')}`;
}
