import pc from 'picocolors';
import type { Env } from '../../env.ts';
import { apiUrlOf } from '../api-client.ts';
import { type Comparison, compareSides, type DifferingCampaign } from '../digest/compare.ts';
import { type DigestEvent, Side } from '../digest/side.ts';
import { exitCodes } from '../exit-codes.ts';
import { plainTable } from '../plain-table.ts';

/** Campaigns that are printed for people; `--json` has all. */
const SHOWN_MOST = 50;

/** `tributary digest`: the root at a block and the digests under it. */
export async function runDigest(
  env: Env,
  options: { readonly url?: string; readonly block?: string; readonly json?: boolean },
): Promise<void> {
  const side = new Side(await apiUrlOf(env, options.url));
  const found = await side.digests(options.block === undefined ? undefined : Number(options.block));
  if (options.json === true) {
    console.log(JSON.stringify(found, null, 2));
    return;
  }
  const { block, root, leftOut, campaigns } = found;
  console.log(
    plainTable([
      ['API', side.url],
      ['block', String(block)],
      ['root', pc.bold(root)],
      ...leftOutRow(leftOut),
    ]),
  );
  const rows = campaigns
    .slice(0, SHOWN_MOST)
    .map(({ campaignId, sequence, digest }) => [campaignId, String(sequence), digest]);
  if (rows.length > 0) console.log(`\n${plainTable(rows, ['campaign', 'events', 'digest'])}`);
  if (campaigns.length > SHOWN_MOST) console.log(`… and ${campaigns.length - SHOWN_MOST} more.`);
}

/**
 * `tributary digest compare`: the first block, campaign and event at which two deployments differ.
 * Exits 1 where they do.
 */
export async function runDigestCompare(
  urls: readonly [string, string],
  options: { readonly json?: boolean },
): Promise<void> {
  const comparison = await compareSides(new Side(urls[0]), new Side(urls[1]));
  if (comparison.difference !== null) process.exitCode = exitCodes.failed;
  if (options.json === true) console.log(JSON.stringify({ urls, ...comparison }, null, 2));
  else print(comparison, urls);
}

function print(
  { block, roots, leftOut, difference }: Comparison,
  urls: readonly [string, string],
): void {
  console.log(
    plainTable([
      ['compared up to block', String(block)],
      [urls[0], roots[0]],
      [urls[1], roots[1]],
      ...leftOutRow(leftOut),
    ]),
  );
  if (difference === null) {
    console.log(pc.green('\nThey are equal.'));
    return;
  }
  console.log(pc.red(`\nThey differ from block ${difference.block} on.`));
  const shown = difference.campaigns.slice(0, SHOWN_MOST).map(campaignRow);
  console.log(`\n${plainTable(shown, ['campaign', ...urls])}`);
  const { event, campaigns } = difference;
  if (event === null) return;
  const [left, right] = event.sides;
  console.log(
    `\nThe first event of campaign ${campaigns[0]?.campaignId} to differ is ${event.sequence}:`,
  );
  console.log(plainTable(eventRows(left, right), ['', ...urls]));
}

/** Campaigns that settlement has stopped are under no root. */
function leftOutRow(leftOut: readonly string[]): string[][] {
  return leftOut.length === 0 ? [] : [['stopped, left out', leftOut.join(', ')]];
}

function campaignRow({ campaignId, sides }: DifferingCampaign): string[] {
  return [
    campaignId,
    ...sides.map((side) => (side === null ? 'none' : `${side.digest} (${side.sequence} events)`)),
  ];
}

/** What differs of an event, part by part. */
function eventRows(left: DigestEvent | null, right: DigestEvent | null): string[][] {
  const parts = ['eventId', 'blockNumber', 'blockHash', 'event', 'entries', 'standing'] as const;
  return parts
    .map((part) => [part, textOf(left?.[part]), textOf(right?.[part])])
    .filter(([, a, b]) => a !== b);
}

function textOf(value: unknown): string {
  if (value === undefined) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
