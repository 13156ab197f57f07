import { z } from 'zod';
import { eventNames } from '../../core/events.ts';
import { get, resource } from '../define.ts';
import { LedgerEvent } from '../shapes/ledger-event.ts';
import { Address, BlockNumber, CampaignId, pageQuery, textInput } from '../values.ts';

/** Largest number of values of one filter. */
const MAX_FILTERS = 20;

const listQuery = z.strictObject({
  after: textInput(4_000)
    .describe('`after` of the previous response: only events that it did not have.')
    .optional(),
  limit: pageQuery.limit,
  name: z
    .array(z.enum(eventNames))
    .min(1)
    .max(MAX_FILTERS)
    .describe('Only events of these names, 20 at most.')
    .optional(),
  campaignId: z
    .array(CampaignId)
    .min(1)
    .max(MAX_FILTERS)
    .describe('Only events of these campaigns, 20 at most.')
    .optional(),
  account: z
    .array(Address)
    .min(1)
    .max(MAX_FILTERS)
    .describe('Only events that concern one of these accounts, 20 at most.')
    .optional(),
});

const EventList = z.strictObject({
  items: z.array(LedgerEvent).describe('By block and log index, oldest first.'),
  after: z.string().describe('Send it as `after` to continue, now or any time later.'),
  more: z
    .boolean()
    .describe('True if there are more events now. A filtered page can be empty before the last.'),
  retracted: z
    .strictObject({ afterBlock: BlockNumber.describe('Drop every event of a later block.') })
    .nullable()
    .describe('Present if a reorg replaced blocks since `after`: apply it before the items.'),
  restarted: z
    .array(CampaignId)
    .describe(
      'Campaigns that were stopped at `after` and are settled again: drop their events, and read them again with campaignId.',
    ),
});

const JsonSchema = z.record(z.string(), z.unknown()).describe('JSON Schema 2020-12.');

/** Methods for the events of all campaigns. */
export const events = resource('events', {
  about: 'Events of all campaigns, to follow without a gap.',
  caller: 'public',
  documentedName: null,
})({
  list: get('/v1/events', {
    summary: 'All settled events, oldest first; `after` continues, also across a reorg.',
    input: { query: listQuery },
    output: EventList,
  }),
  types: get('/v1/events/types', {
    serving: { replica: false },
    summary: 'Names of events, messages of the stream and webhooks, with the JSON Schema of each.',
    input: {},
    output: z.strictObject({
      event: JsonSchema.describe('JSON Schema of an item of events.list.'),
      items: z.array(
        z.strictObject({
          name: z.enum(eventNames),
          args: JsonSchema.describe('JSON Schema of `args` of the events of this name.'),
        }),
      ),
      stream: z
        .array(
          z.strictObject({
            name: z.string().describe('Name of the message: the field `event`.'),
            data: JsonSchema.describe('JSON Schema of `data` of the message.'),
          }),
        )
        .describe('Messages of GET /v1/stream.'),
      webhooks: z
        .strictObject({
          message: JsonSchema.describe('JSON Schema of the body of a delivery.'),
          types: z.array(
            z.strictObject({
              name: z.string().describe('For the events of an endpoint.'),
              contractEvent: z
                .enum(eventNames)
                .nullable()
                .describe('Event of the contract; null for what is not on the chain.'),
            }),
          ),
        })
        .describe('What webhooks send.'),
    }),
  }),
});
