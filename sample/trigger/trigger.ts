import { type Address, type Hex, hexToNumber, keccak256 } from 'viem';
import { type Client, createClient } from '../../engine/client/index.ts';
import { isEventName } from '../../engine/core/events.ts';
import type { WebhookEventType } from '../../engine/core/webhook-events.ts';
import { type ContractEvent, eventTypeOf } from '../../engine/core/webhook-message.ts';
import { actorsOf } from '../actors.ts';
import { Accounts } from '../commerce/accounts.ts';
import type { PlannedTransaction } from '../planned-transaction.ts';
import { seededRandom } from '../random.ts';
import { openRpc, type Rpc } from '../rpc.ts';
import { SAMPLE_SEED } from '../run-sample.ts';
import { fundSenders, revertReason, TransactionError } from '../runner.ts';
import { signPlanned, type Target } from '../sign-transaction.ts';
import { Timeline } from '../timeline.ts';
import type { Cause } from './causes.ts';
import { TriggerError } from './world.ts';

/** Milliseconds for a transaction to be mined, and then to be settled. */
const WAIT_MS = 60_000;
const POLL_MS = 200;

export interface TriggerOptions {
  readonly type: WebhookEventType;
  readonly cause: Cause;
  /** The only campaign that may be used; `undefined` for any. */
  readonly campaignId: string | undefined;
  readonly apiUrl: string;
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly contractAddress: Address;
}

/** A transaction that was sent. */
export interface SentTransaction {
  readonly hash: Hex;
  /** The action for people: who did what. */
  readonly what: string;
}

export interface TriggerResult {
  readonly transactions: readonly SentTransaction[];
  /** The event that was caused; of a dispute, the sale that it is about. */
  readonly event: ContractEvent;
  /** Id of the dispute; `null` for an event of the chain. */
  readonly subjectId: string | null;
}

type Settled = Awaited<ReturnType<Client['transactions']['get']>>['data']['items'][number];

/**
 * Causes an event by transactions of accounts of the sample, and waits until it is settled.
 * @throws {TriggerError} if it is not possible now.
 * @throws {TransactionError} if a transaction is refused or reverted.
 */
export async function trigger(options: TriggerOptions): Promise<TriggerResult> {
  const { type, cause, campaignId, apiUrl, rpcUrl, chainId } = options;
  const actors = actorsOf(SAMPLE_SEED);
  const { contractAddress } = actors;
  if (contractAddress.toLowerCase() !== options.contractAddress.toLowerCase()) {
    throw new TriggerError('The contract of this deployment is not the one of the sample.');
  }
  const rpc = openRpc(rpcUrl);
  const client = createClient({ baseUrl: apiUrl });
  const accounts = new Accounts({ apiUrl, origin: new URL(apiUrl).origin });
  const now = await chainTime(rpc);
  const timeline = new Timeline(actors, seededRandom(Date.now()), now);
  const lastStep = await cause({ client, accounts, rpc, actors, timeline, campaignId });
  // Closes the block of all added transactions.
  timeline.block(now, () => {});
  await fundSenders(rpc, timeline.blocks);
  const transactions: SentTransaction[] = [];
  for (const planned of timeline.blocks.flatMap((block) => block.transactions)) {
    const hash = await send(rpc, { chainId, contractAddress }, planned);
    transactions.push({ hash, what: `${planned.by.name} ${planned.what}` });
  }
  const last = transactions.at(-1);
  if (last === undefined) throw new Error(`${type} needs no transaction.`);
  const events = (await untilSettled(client, last.hash)).flatMap(contractEventOf);
  const wanted = lastStep === undefined ? type : 'sale.recorded';
  const event = events.find((one) => eventTypeOf(one) === wanted);
  if (event === undefined) throw new Error(`Transaction ${last.hash} did not cause ${wanted}.`);
  const subjectId = lastStep === undefined ? null : await lastStep(chainId, event.saleId ?? '');
  return { transactions, event, subjectId };
}

/** Unix seconds of the next block, about: anvil's clock may be ahead of this one. */
async function chainTime(rpc: Rpc): Promise<number> {
  const head = (await rpc.request('eth_getBlockByNumber', 'latest', false)) as { timestamp: Hex };
  return Math.max(hexToNumber(head.timestamp), Math.floor(Date.now() / 1_000));
}

/** Sends a transaction, and waits until it is mined. */
async function send(rpc: Rpc, target: Target, planned: PlannedTransaction): Promise<Hex> {
  const sent = await rpc.request('eth_getTransactionCount', planned.by.address, 'pending');
  const position = { nonce: hexToNumber(sent as Hex), after: 0 };
  const signed = await signPlanned(planned, target, position);
  await rpc.request('eth_sendRawTransaction', signed).catch((error: Error) => {
    throw new TransactionError(planned, `was refused (${error.message}).`);
  });
  const hash = keccak256(signed);
  const receipt = await until(`transaction ${hash} to be mined`, async () => {
    const found = await rpc.request('eth_getTransactionReceipt', hash);
    return (found as { status: Hex } | null) ?? undefined;
  });
  if (receipt.status === '0x1') return hash;
  throw new TransactionError(planned, `reverted with ${await revertReason(rpc, hash)}.`);
}

/** The events of a transaction, once they are settled. */
async function untilSettled(client: Client, hash: Hex): Promise<readonly Settled[]> {
  return await until(`transaction ${hash} to be settled`, async () => {
    const { data } = await client.transactions.get({ hash, limit: 100 });
    return data.status === 'settled' ? data.items : undefined;
  });
}

async function until<T>(what: string, find: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + WAIT_MS;
  while (performance.now() < deadline) {
    const found = await find();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new TriggerError(`Waited ${WAIT_MS / 1_000} s in vain for ${what}.`);
}

function contractEventOf(item: Settled): ContractEvent[] {
  const { name, args, campaignId, saleId, accounts, blockNumber, at } = item;
  if (!isEventName(name)) return [];
  return [
    {
      name,
      campaignId,
      saleId,
      amount: typeof args.amount === 'string' ? args.amount : null,
      accounts,
      blockNumber: Number(blockNumber),
      blockHash: item.blockHash,
      timestamp: Date.parse(at) / 1_000,
      transactionHash: item.transactionHash,
      logIndex: item.logIndex,
    },
  ];
}
