import { countOf } from '../../../core/count-of.ts';
import { whyNoBundles } from '../../../core/known-chains.ts';
import { BundleImpossibleError } from '../../../verify/bundle/make/index.ts';
import { readBlock, readReceiptsTrie } from '../../../verify/bundle/make/read-blocks.ts';
import { type Ability, has, lacks, misses, unknown } from '../ability.ts';
import type { Answer, Asker } from '../asker.ts';
import type { SeenBlock } from '../subject.ts';

/** Receipts that are requested one by one at most. */
const MAX_SINGLE = 8;

/** Hash of no transaction: an RPC answers `null`, which shows that it has the method. */
const NO_TRANSACTION = `0x${'00'.repeat(32)}`;

/** Findings about the receipts of a block. */
export interface Receipts {
  readonly ability: Ability;
  /** Number of logs in them; `undefined` if it is not known. */
  readonly logs: number | undefined;
  /** True if all come in one response. */
  readonly isWhole: boolean;
}

/** Asks for the receipts of a block together, and for one alone. */
export async function receiptsOf(asker: Asker, block: SeenBlock): Promise<Receipts> {
  const all = await asker.ask('eth_getBlockReceipts', [block.hash]);
  const list = all.kind === 'value' && Array.isArray(all.value) ? all.value : undefined;
  const single = await asker.ask('eth_getTransactionReceipt', [
    block.transactions[0] ?? NO_TRANSACTION,
  ]);
  const logs = list?.reduce((sum: number, one) => sum + (Object(one).logs?.length ?? 0), 0);
  return { ability: abilityOf(block, all, single), logs, isWhole: list !== undefined };
}

function abilityOf(block: SeenBlock, all: Answer, single: Answer): Ability {
  const count = block.transactions.length;
  const canSingle = single.kind === 'value' && (count === 0 || single.value !== null);
  if (all.kind === 'value' && Array.isArray(all.value)) {
    const found = `${countOf(all.value.length, 'receipt')} of block ${block.number} in one request`;
    if (all.value.length >= count) return has('receipts', found);
    return canSingle
      ? lacks('receipts', `${found}, which has ${countOf(count, 'transaction')}`, {
          cost: 'Settlement requests each receipt that is missing alone.',
        })
      : unknown('receipts', `${found}, which has ${countOf(count, 'transaction')}`);
  }
  const why = all.kind === 'value' ? 'answers no list' : all.reason;
  const isNo = all.kind === 'no';
  if (canSingle) {
    const found = `one by one; eth_getBlockReceipts fails: it ${why}`;
    if (!isNo) return { ...unknown('receipts', found), isNeeded: false };
    return lacks('receipts', found, {
      cost: 'Settlement requests the receipts of a block with sales one by one: a call for each transaction.',
    });
  }
  const found = `neither together nor alone: it ${why}`;
  if (!isNo || single.kind !== 'no') return unknown('receipts', found);
  return misses('receipts', found, {
    cost: 'Settlement compares each sale with its receipt, so that nothing is settled.',
    set: { RPC_URL: 'an RPC with receipts' },
  });
}

/** True blooms spare requests: zeros next to logs prove nothing. */
export function bloomsOf(
  headers: readonly SeenBlock[],
  tried: SeenBlock | undefined,
  logs: number | undefined,
): Ability {
  if (headers.some(({ logsBloom }) => /^0x[0-9a-f]*[1-9a-f]/i.test(logsBloom))) {
    return has('blooms', 'logsBloom says which blocks may have events');
  }
  if (tried === undefined || !logs) {
    return unknown('blooms', 'all zero, in blocks of which none is known to have logs');
  }
  return lacks('blooms', `logsBloom is zero, and block ${tried.number} has logs`, {
    cost: 'Settlement reads the receipts of each new block that has transactions: one more call a block.',
  });
}

const NO_BUNDLES =
  'Sales have no receipt bundle, which could be checked offline; `tributary verify` compares them with an RPC.';

/** Computes the hash of a header and the root of its receipts, as a receipt bundle needs them. */
export async function bundlesOf(
  {
    asker,
    chainId,
    isWhole,
  }: { readonly asker: Asker; readonly chainId: number } & Pick<Receipts, 'isWhole'>,
  block: SeenBlock | undefined,
): Promise<Ability> {
  const impossible = whyNoBundles(chainId);
  if (impossible !== undefined) return lacks('bundles', impossible, { cost: NO_BUNDLES });
  if (block === undefined) return unknown('bundles', 'no recent block has transactions');
  const count = block.transactions.length;
  if (!isWhole && count > MAX_SINGLE) {
    return unknown('bundles', `block ${block.number} would take ${count} calls`);
  }
  try {
    await readReceiptsTrie(asker.client, await readBlock(asker.client, block.hash));
    return has('bundles', `header and receipts of block ${block.number} hash to what it says`);
  } catch (error) {
    if (error instanceof BundleImpossibleError) {
      return lacks('bundles', error.message, { cost: NO_BUNDLES });
    }
    return unknown('bundles', `block ${block.number} and its receipts were not answered`);
  }
}
