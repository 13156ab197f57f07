// Events of the contract, as the ledger has them.
import { z } from 'zod';
import { nameSchemas } from '../names.ts';
import { Address, CampaignId, SaleId } from '../values.ts';
import { ReceiptEvent } from './receipt.ts';

/** An event of any campaign. */
export const LedgerEvent = ReceiptEvent.extend({
  name: z.string().describe('Name of the contract’s event: events.types lists them.'),
  args: z
    .record(z.string(), z.unknown())
    .describe('Without campaignId; events.types has a schema for each event.'),
  campaignId: CampaignId,
  saleId: SaleId.nullable().describe('null if it concerns no sale.'),
  accounts: z
    .array(Address)
    .describe('Accounts that it names or whose money it moves, and the buyer of its sale.'),
});

nameSchemas({ LedgerEvent });
