import { parseEventLogs } from 'viem';
import { referralCommerceAbi } from '../../../../abis/index.ts';
import { nullIfNotFound } from '../../../chain/errors.ts';
import type { MethodOf, OutputOf } from '../../../contract/types.ts';
import { type Hex, isEventName } from '../../../core/events.ts';
import { eventsOfTransaction } from '../../../db/read/events/located.ts';
import { finalityOf, type ReadHead, readLedger } from '../../../db/read/snapshot.ts';
import type { AppDeps } from '../../deps.ts';
import { notFound, notReady } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { cursorId, ListPage } from '../../input/cursor.ts';
import { lowerHash } from '../../input/hash.ts';
import { ConcurrencyLimit } from '../../limits/concurrency-limit.ts';
import { CHAIN_ANSWER_MS, withTimeout } from '../../limits/with-timeout.ts';
import { ledgerEvent } from '../../render/ledger-event.ts';
import { isoTime } from '../../render/time.ts';
import { explorerUrlOf } from '../../render/tx-ref.ts';

type Output = OutputOf<MethodOf<'transactions.get'>>;

/** Limit on concurrent questions to the chain: anybody can ask about hashes that do not exist. */
const concurrency = new ConcurrencyLimit(16, 'look-ups of transactions');

/** `transactions.get`: events of a settled transaction; the chain is asked only if there are none. */
export const get: Handler<'transactions.get'> = async (input, deps) => {
  const hash = lowerHash(input.hash);
  const page = new ListPage('transactions.get', input, { logIndex: cursorId });
  const { after, limit } = page.query;
  const afterLog = Number(after?.logIndex ?? -1);
  const { found, head } = await readLedger(deps.pool, async (snapshot) => ({
    found: await eventsOfTransaction(snapshot, hash, { afterLog, limit }),
    head: snapshot.head,
  }));
  const explorerUrl = explorerUrlOf(deps.deployment, hash);
  const [first] = found;
  if (first === undefined) {
    const unsettled = await concurrency.run(deps, () => unsettledState(deps, hash, head));
    const nothing = { at: null, items: [], nextCursor: null };
    return {
      data: { hash, explorerUrl, ...nothing, ...unsettled },
      chain: chainMeta(deps.deployment, head),
    };
  }
  const { items, nextCursor } = page.of(found);
  const campaignIds = items.map(({ campaignId }) => campaignId);
  return {
    data: {
      hash,
      status: 'settled',
      blockNumber: String(first.blockNumber),
      at: isoTime(first.blockTimestamp),
      explorerUrl,
      finality: finalityOf(head, first.blockNumber, campaignIds),
      items: items.map((event) => ledgerEvent(deps.deployment, event, head)),
      nextCursor,
    },
    chain: chainMeta(deps.deployment, head, first.blockNumber, campaignIds),
  };
};

/**
 * State of a transaction that has no event in the ledger.
 * @throws {HttpError} NOT_FOUND if the chain does not know it, NOT_READY if the chain does not answer.
 */
async function unsettledState(
  { client, deployment }: AppDeps,
  hash: Hex,
  head: ReadHead,
): Promise<Pick<Output, 'status' | 'blockNumber' | 'finality'>> {
  const asked = Promise.all([
    nullIfNotFound(client.getTransactionReceipt({ hash })),
    nullIfNotFound(client.getTransaction({ hash })),
  ]);
  const [receipt, transaction] = await withTimeout(asked, CHAIN_ANSWER_MS).catch(() => {
    throw notReady('chain', 'The chain did not answer about that transaction: try again.');
  });
  if (receipt === null) {
    if (transaction === null) throw notFound(`The chain has no transaction ${hash}.`);
    return { status: 'pending', blockNumber: null, finality: 'pending' };
  }
  const number = Number(receipt.blockNumber);
  // Logs that settlement has not folded: above the settled block, or of a stopped campaign.
  const logs = parseEventLogs({ abi: referralCommerceAbi, logs: receipt.logs });
  const isOurs = logs.some(
    ({ address, eventName }) =>
      lowerAddress(address) === deployment.contractAddress && isEventName(eventName),
  );
  const status = receipt.status === 'reverted' ? 'reverted' : isOurs ? 'included' : 'unrelated';
  return { status, blockNumber: String(number), finality: finalityOf(head, number, []) };
}
