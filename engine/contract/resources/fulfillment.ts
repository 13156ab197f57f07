import { z } from 'zod';
import { post, resource } from '../define.ts';
import { nameSchemas } from '../names.ts';
import { MediaItem } from '../shapes/common.ts';
import { FulfillmentMode } from '../shapes/purchase.ts';
import { SaleId, Timestamp, Uri } from '../values.ts';

const Access = z.strictObject({
  saleId: SaleId,
  mode: FulfillmentMode,
  accessTiming: z
    .enum(['afterPurchase', 'afterHold'])
    .describe('Whether access begins with the sale or when its hold is over.'),
  available: z.boolean().describe('Whether access is given at the block read.'),
  availableFrom: Timestamp.nullable().describe('null if it never will be, after a full refund.'),
  downloads: z
    .array(
      z.strictObject({
        mediaId: MediaItem.shape.id,
        size: MediaItem.shape.size,
        sha256: MediaItem.shape.sha256,
        url: Uri.describe('Temporary, and only for this buyer.'),
        expiresAt: Timestamp.describe('When the link expires.'),
      }),
    )
    .describe('Files of mode download; empty otherwise.'),
  externalUrl: Uri.nullable().describe('Where mode external delivers; null otherwise.'),
  instructions: z
    .string()
    .max(2048)
    .nullable()
    .describe('Text about the delivery; null if there is none.'),
});

nameSchemas({ FulfillmentAccess: Access });

/** Methods for access to purchases. */
export const fulfillment = resource('fulfillment', {
  about: 'What a buyer gets access to.',
  caller: 'account',
})({
  access: post('/v1/fulfillment/:saleId/access', {
    summary:
      'Gives the buyer of a sale access to what was bought: expiring links, or where to get it.',
    input: { params: z.strictObject({ saleId: SaleId }) },
    returnsSecret: true,
    output: Access,
  }),
});
