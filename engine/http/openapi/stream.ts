import { streamMessages } from '../../contract/shapes/stream.ts';
import { streamMethod } from '../../contract/stream.ts';
import { limitHeaders } from './headers.ts';
import { operationOf } from './operation.ts';
import type { JsonObject, SchemaSet } from './schema.ts';

const DESCRIPTION = [
  'It is public. Each message has an `event`, an `id` and JSON `data`; `x-messages` has the schema of',
  'the data of each event. Apply messages in order, and send the `id` of the last one that was',
  'applied as `Last-Event-ID` to go on after it.',
].join(' ');

const success: JsonObject = {
  description: 'The stream.',
  headers: limitHeaders,
  content: {
    'text/event-stream': {
      schema: { type: 'string', description: 'Server-sent events (HTML Standard).' },
    },
  },
};

/** OpenAPI operation of the stream. OpenAPI 3.1 cannot describe a sequence of messages. */
export function streamOperation(schemas: SchemaSet): JsonObject {
  const parts = { params: undefined, example: undefined, schemas, hasKeys: false, success };
  const operation = operationOf(streamMethod, parts);
  return {
    ...operation,
    description: `\`${streamMethod.name}\`: ${streamMethod.summary} ${DESCRIPTION}`,
    parameters: [
      ...operation.parameters,
      {
        name: 'Last-Event-ID',
        in: 'header',
        required: false,
        description: 'The id of the last message that was applied.',
        schema: { type: 'string' },
      },
    ],
    'x-messages': Object.fromEntries(
      Object.entries(streamMessages).map(([event, schema]) => [
        event,
        schemas.of(schema, 'output'),
      ]),
    ),
  };
}
