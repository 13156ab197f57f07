import { countOf } from '../../core/count-of.ts';
import type { Env } from '../../env.ts';
import { apiUrlOf } from '../api-client.ts';
import { compareSides, type DifferingCampaign, type DigestComparison } from '../digest/compare.ts';
import { type DigestEvent, Side } from '../digest/side.ts';
import { exitCodes } from '../exit-codes.ts';
import { out, style } from '../output.ts';

/** Maximum number of printed campaigns; `--json` prints all. */
const MAX_SHOWN = 50;

/** Runs `tributary digest`: prints the root at a block and the digests under it. */
export async function runDigest(
  env: Env,
  options: { readonly url?: string; readonly block?: string; readonly json?: boolean },
): Promise<void> {
  const side = new Side(await apiUrlOf(env, options.url));
  const found = await side.digests(options.block === undefined ? undefined : Number(options.block));
  if (options.json === true) {
    out.json(found);
    return;
  }
  const { block, root, leftOut, campaigns } = found;
  out.table([
    ['API', side.url],
    ['block', String(block)],
    ['root', style.bold(root)],
    ...leftOutRow(leftOut),
  ]);
  const rows = campaigns
    .slice(0, MAX_SHOWN)
    .map(({ campaignId, sequence, digest }) => [campaignId, String(sequence), digest]);
  if (rows.length > 0) {
    out.print('');
    out.table(rows, ['campaign', 'events', 'digest']);
  }
  if (campaigns.length > MAX_SHOWN) out.print(`… and ${campaigns.length - MAX_SHOWN} more.`);
}

/**
 * Runs `tributary digest compare`: finds the first block, campaign and event at which two deployments
 * differ. Exits 1 if they do.
 */
export async function runDigestCompare(
  urls: readonly [string, string],
  options: { readonly json?: boolean },
): Promise<void> {
  const comparison = await compareSides(new Side(urls[0]), new Side(urls[1]));
  if (comparison.difference !== null) process.exitCode = exitCodes.failed;
  if (options.json === true) out.json({ urls, ...comparison });
  else print(comparison, urls);
}

function print(
  { block, roots, leftOut, difference }: DigestComparison,
  urls: readonly [string, string],
): void {
  out.table([
    ['compared up to block', String(block)],
    [urls[0], roots[0]],
    [urls[1], roots[1]],
    ...leftOutRow(leftOut),
  ]);
  if (difference === null) {
    out.print('', style.green('Both are equal.'));
    return;
  }
  out.print('', style.red(`The first difference is at block ${difference.block}.`));
  const shown = difference.campaigns.slice(0, MAX_SHOWN).map(campaignRow);
  out.print('');
  out.table(shown, ['campaign', ...urls]);
  const { event, campaigns } = difference;
  if (event === null) return;
  const [left, right] = event.sides;
  out.print(
    '',
    `The first different event of campaign ${campaigns[0]?.campaignId} is number ${event.sequence}:`,
  );
  out.table(eventRows(left, right), ['', ...urls]);
}

/** Row that names the stopped campaigns, which no root contains. */
function leftOutRow(leftOut: readonly string[]): string[][] {
  return leftOut.length === 0 ? [] : [['stopped, left out', leftOut.join(', ')]];
}

function campaignRow({ campaignId, sides }: DifferingCampaign): string[] {
  return [
    campaignId,
    ...sides.map((side) =>
      side === null ? 'none' : `${side.digest} (${countOf(side.sequence, 'event')})`,
    ),
  ];
}

/** The parts of an event that differ. */
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
