import type { PublicClient } from 'viem';
import type { Address, Hex } from '../core/events.ts';
import { contractEventTypes } from '../core/webhook-events.ts';
import { ask } from './chain/answer.ts';
import { type DecodedLog, decodeLogs } from './chain/decode.ts';
import { readHeader } from './chain/reading.ts';

/** Fields of a webhook's message that the chain can confirm. */
export interface WebhookEvent {
  readonly type: string;
  readonly data: {
    readonly campaignId: string | null;
    readonly saleId: string | null;
    /** Base units, decimal digits. */
    readonly amount: string | null;
    readonly chain: {
      readonly chainId: number;
      readonly contractAddress: Address;
      readonly blockNumber: string;
      readonly blockHash: Hex;
      readonly transactionHash: Hex;
      readonly logIndex: number;
    } | null;
  };
}

/** Result of comparing a webhook's message with the chain. */
export interface WebhookEventCheck {
  /**
   * `confirmed` if the chain has the event; `gone` if its block was replaced, which confirms a message whose
   * type ends with `.retracted`; `contradicted` if the chain has something else in its place; `unknown` if
   * the RPC cannot say, now or at all.
   */
  readonly status: 'confirmed' | 'gone' | 'contradicted' | 'unknown';
  /** A sentence for people. It does not contain the URL of the RPC. */
  readonly reason: string;
}

/**
 * Compares a webhook's message with the chain: its block, the log at its index, and the name, campaign, sale
 * and amount of that log. It trusts the RPC and nothing that the message says. An RPC that fails makes the
 * result `unknown`, never an exception.
 * @param options.contractAddress the contract that the receiver knows, not that of the message.
 *
 * @example
 * await checkWebhookEvent(message, { client, contractAddress });
 */
export async function checkWebhookEvent(
  message: WebhookEvent,
  options: { readonly client: PublicClient; readonly contractAddress: Address },
): Promise<WebhookEventCheck> {
  const { client, contractAddress } = options;
  const { chain } = message.data;
  if (chain === null) return unknown('The event is not on the chain.');
  const { blockNumber, blockHash, logIndex } = chain;
  if (!isSameHex(chain.contractAddress, contractAddress)) {
    return contradicted(`The event is of contract ${chain.contractAddress}.`);
  }
  const [chainId, header, logs] = await Promise.all([
    ask('The chain’s id', client.getChainId()),
    ask(`Block ${blockNumber}`, readHeader(client, BigInt(blockNumber))),
    ask(
      `The logs of block ${blockNumber}`,
      client.request({
        method: 'eth_getLogs',
        params: [{ address: contractAddress, blockHash }],
      }),
    ),
  ]);
  if (!chainId.ok) return unknown(chainId.reason);
  if (chainId.value !== chain.chainId) {
    return unknown(`The event is of chain ${chain.chainId}, and the RPC of ${chainId.value}.`);
  }
  if (!header.ok) return unknown(header.reason);
  if (!isSameHex(header.value.hash, blockHash)) {
    return { status: 'gone', reason: `Block ${blockNumber} was replaced by another one.` };
  }
  if (!logs.ok) return unknown(logs.reason);
  const log = decodeLogs(logs.value, contractAddress).find(
    ({ location }) => location.logIndex === logIndex,
  );
  if (log === undefined) {
    return contradicted(`Block ${blockNumber} has no event of the contract at index ${logIndex}.`);
  }
  const [difference] = differencesOf(message, chain.transactionHash, log);
  if (difference !== undefined) return contradicted(difference);
  return { status: 'confirmed', reason: `Block ${blockNumber} has the event at ${logIndex}.` };
}

/** Sentences about the fields in which the message differs from the log. */
function differencesOf(
  { type, data }: WebhookEvent,
  transactionHash: Hex,
  log: DecodedLog,
): string[] {
  const fields = [
    ['name', type.replace(/\.retracted$/, ''), contractEventTypes[log.name]],
    ['transaction', transactionHash.toLowerCase(), log.location.transactionHash.toLowerCase()],
    ['campaign', data.campaignId, log.campaignId],
    ['sale', data.saleId, 'saleId' in log.args ? log.args.saleId : null],
    ['amount', data.amount, amountOf(data, log)],
  ] as const;
  return fields.flatMap(([name, claimed, found]) =>
    claimed === found ? [] : [`The message has the ${name} ${claimed}, and the chain ${found}.`],
  );
}

/** Amount of the log; that of the message if one of them has none, which leaves nothing to compare. */
function amountOf({ amount }: WebhookEvent['data'], { args }: DecodedLog): string | null {
  return amount !== null && 'amount' in args ? String(args.amount) : amount;
}

function isSameHex(a: Hex, b: Hex): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function unknown(reason: string): WebhookEventCheck {
  return { status: 'unknown', reason };
}

function contradicted(reason: string): WebhookEventCheck {
  return { status: 'contradicted', reason };
}
