// What webhooks deliver, which service and receivers share (docs/use/webhooks.md).
import { z } from 'zod';
import { nameSchemas } from '../names.ts';
import {
  Address,
  Amount,
  BlockNumber,
  CampaignId,
  ChainId,
  Finality,
  Hash32,
  Id,
  SaleId,
  Timestamp,
  Uri,
} from '../values.ts';

/** Where an event is on the chain. */
const WebhookCoordinates = z.strictObject({
  chainId: ChainId,
  contractAddress: Address,
  blockNumber: BlockNumber,
  blockHash: Hash32,
  transactionHash: Hash32,
  logIndex: z.int().min(0),
});

/** Body of a delivery, as Standard Webhooks has it: `type`, `timestamp` and `data`. */
export const WebhookMessage = z.strictObject({
  type: z.string().describe('Name of the event; with .retracted if it is a retraction.'),
  timestamp: Timestamp.describe('Time of the block, or of the service if it is not on the chain.'),
  data: z.strictObject({
    eventId: Id.describe('Id of the event, which is also the header webhook-id.'),
    retracts: Id.nullable().describe('Event that is retracted; null otherwise.'),
    finality: Finality.nullable().describe(
      'How final the block had to be for this delivery; null if it is not on the chain.',
    ),
    campaignId: CampaignId.nullable(),
    saleId: SaleId.nullable(),
    amount: Amount.nullable().describe('Amount of the event, base units of the campaign’s token.'),
    accounts: z.array(Address).describe('Accounts that it concerns, in lower case.'),
    subjectId: Id.nullable().describe('Dispute, invitation or report that it is about.'),
    chain: WebhookCoordinates.nullable().describe('null if it is not on the chain.'),
    links: z.strictObject({
      self: Uri.nullable().describe('What it is about, as of its block where there is one.'),
      verify: Uri.nullable().describe('Verification of the receipt of its sale.'),
    }),
  }),
});

/** Body of a delivery. */
export type WebhookMessage = z.infer<typeof WebhookMessage>;

nameSchemas({ WebhookCoordinates, WebhookMessage });
