import { z } from 'zod';
import { LedgerEvent } from '../../../contract/shapes/ledger-event.ts';
import { streamMessages } from '../../../contract/shapes/stream.ts';
import { WebhookMessage } from '../../../contract/shapes/webhook.ts';
import type { MethodOf, OutputOf } from '../../../contract/types.ts';
import { eventNames } from '../../../core/events.ts';
import { contractEventTypes, webhookEventTypes } from '../../../core/webhook-events.ts';
import type { Handler } from '../../handler-types.ts';
import { eventSchemas } from '../../resources/events/event-schemas.ts';

let made: OutputOf<MethodOf<'events.types'>> | undefined;

/** `events.types`: schemas of all events, of the messages of the stream and of webhooks. */
export const types: Handler<'events.types'> = async () => {
  made ??= {
    event: schemaOf(LedgerEvent),
    items: eventSchemas(),
    stream: Object.entries(streamMessages).map(([name, data]) => ({ name, data: schemaOf(data) })),
    webhooks: { message: schemaOf(WebhookMessage), types: webhookTypes() },
  };
  return { data: made };
};

function webhookTypes(): NonNullable<typeof made>['webhooks']['types'] {
  return webhookEventTypes.map((name) => {
    const contractEvent = eventNames.find((one) => contractEventTypes[one] === name);
    return { name, contractEvent: contractEvent ?? null };
  });
}

function schemaOf(schema: z.ZodType): Record<string, unknown> {
  return { ...z.toJSONSchema(schema, { io: 'output' }) };
}
