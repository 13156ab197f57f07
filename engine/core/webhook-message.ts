import type { Address, EventName, Hex } from './events.ts';
import type { Finality } from './finality.ts';
import { contractEventTypes, type WebhookEventType } from './webhook-events.ts';

/** SHA-256. It is passed in, so that this folder depends on no package. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

/** Deployment whose contract emits the events. */
export interface WebhookDeployment {
  readonly chainId: number;
  readonly contractAddress: Address;
  /** URL at which receivers reach the API, without /v1 and without a trailing slash. */
  readonly publicUrl: string;
}

/** Location that identifies an event on the chain: another block has another event. */
export interface EventLocation {
  readonly campaignId: string;
  readonly blockHash: Hex;
  readonly logIndex: number;
}

/** An event of the contract, with what a webhook says about it. */
export interface ContractEvent extends EventLocation {
  readonly name: EventName;
  /** `null` if it concerns no sale. */
  readonly saleId: string | null;
  /** The `amount` of its arguments, decimal digits of base units; `null` if it has none. */
  readonly amount: string | null;
  /** Accounts that it concerns. */
  readonly accounts: readonly Address[];
  readonly blockNumber: number;
  /** Unix seconds of the block. */
  readonly timestamp: number;
  readonly transactionHash: Hex;
}

/** Body of a delivery: `WebhookMessage` of the contract, as plain types (docs/use/webhooks.md). */
export interface WebhookBody {
  readonly type: string;
  readonly timestamp: string;
  readonly data: {
    readonly eventId: string;
    readonly retracts: string | null;
    readonly finality: Finality | null;
    readonly campaignId: string | null;
    readonly saleId: string | null;
    readonly amount: string | null;
    readonly accounts: Address[];
    readonly subjectId: string | null;
    readonly chain: {
      readonly chainId: number;
      readonly contractAddress: Address;
      readonly blockNumber: string;
      readonly blockHash: Hex;
      readonly transactionHash: Hex;
      readonly logIndex: number;
    } | null;
    readonly links: { readonly self: string | null; readonly verify: string | null };
  };
}

/** Body of a delivery of an event: how final its block had to be differs between endpoints. */
export function sentBody(event: WebhookBody, finality: Finality | null): WebhookBody {
  return { ...event, data: { ...event.data, finality } };
}

/** Bytes of the hash that an event id has. */
const ID_BYTES = 24;

/** Name that webhooks give to an event of the contract. */
export function eventTypeOf({ name }: Pick<ContractEvent, 'name'>): WebhookEventType {
  return contractEventTypes[name];
}

/**
 * Id of an event: `evt_` and 24 bytes of a SHA-256 as base64url. It depends on the chain alone, so that a
 * replay, a new index and another deployment of the same contract give the same id.
 */
export function eventIdOf(
  sha256: Sha256,
  { chainId, contractAddress }: Pick<WebhookDeployment, 'chainId' | 'contractAddress'>,
  { campaignId, blockHash, logIndex }: EventLocation,
): string {
  const parts = [chainId, contractAddress.toLowerCase(), campaignId, blockHash, logIndex];
  const hashed = sha256(new TextEncoder().encode(parts.join(':'))).subarray(0, ID_BYTES);
  const base64 = btoa(String.fromCharCode(...hashed));
  return `evt_${base64.replaceAll('+', '-').replaceAll('/', '_')}`;
}

/**
 * Body of the delivery of an event.
 * @param finality how final its block had to be.
 */
export function webhookMessageOf(
  sha256: Sha256,
  deployment: WebhookDeployment,
  event: ContractEvent,
  finality: Finality,
): WebhookBody {
  const { campaignId, saleId, amount, accounts, blockNumber, timestamp } = event;
  const { chainId, contractAddress } = deployment;
  return {
    type: eventTypeOf(event),
    timestamp: new Date(timestamp * 1_000).toISOString(),
    data: {
      eventId: eventIdOf(sha256, deployment, event),
      retracts: null,
      finality,
      campaignId,
      saleId,
      amount,
      accounts: [...accounts],
      subjectId: null,
      chain: {
        chainId,
        contractAddress,
        blockNumber: String(blockNumber),
        blockHash: event.blockHash,
        transactionHash: event.transactionHash,
        logIndex: event.logIndex,
      },
      links: linksOf(deployment, event, `?atBlock=${blockNumber}`),
    },
  };
}

/**
 * Body that retracts an event after a reorg or a repair: the fields of the event, with a type and an id of
 * its own. Its link has the present state, because its block is no longer on the chain.
 */
export function retractionOf(
  sha256: Sha256,
  deployment: WebhookDeployment,
  event: ContractEvent,
  finality: Finality,
): WebhookBody {
  const { type, timestamp, data } = webhookMessageOf(sha256, deployment, event, finality);
  return {
    type: `${type}.retracted`,
    timestamp,
    data: {
      ...data,
      eventId: `${data.eventId}_retracted`,
      retracts: data.eventId,
      links: linksOf(deployment, event, ''),
    },
  };
}

function linksOf(
  { chainId, publicUrl }: WebhookDeployment,
  { campaignId, saleId }: ContractEvent,
  asOf: string,
): WebhookBody['data']['links'] {
  if (saleId === null) {
    return { self: `${publicUrl}/v1/campaigns/${campaignId}${asOf}`, verify: null };
  }
  const receipt = `${publicUrl}/v1/receipts/${chainId}/${saleId}`;
  return { self: `${receipt}${asOf}`, verify: `${receipt}/verify` };
}
