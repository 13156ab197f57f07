import { z } from 'zod';
import { LedgerEvent } from '../../../contract/shapes/ledger-event.ts';
import { streamMessages } from '../../../contract/shapes/stream.ts';
import type { MethodOf, OutputOf } from '../../../contract/types.ts';
import type { Handler } from '../../handler-types.ts';
import { eventSchemas } from '../../resources/events/event-schemas.ts';

let made: OutputOf<MethodOf<'events.types'>> | undefined;

/** `events.types`: schemas of all events and of the messages of the stream. */
export const types: Handler<'events.types'> = async () => {
  made ??= {
    event: schemaOf(LedgerEvent),
    items: eventSchemas(),
    stream: Object.entries(streamMessages).map(([name, data]) => ({ name, data: schemaOf(data) })),
  };
  return { data: made };
};

function schemaOf(schema: z.ZodType): Record<string, unknown> {
  return { ...z.toJSONSchema(schema, { io: 'output' }) };
}
