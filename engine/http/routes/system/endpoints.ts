import { z } from 'zod';
import { documentedNameOf, type Method, type NarrowedPath } from '../../../contract/define.ts';
import { methods } from '../../../contract/registry.ts';
import type { MethodOf, OutputOf } from '../../../contract/types.ts';
import type { Handler } from '../../handler-types.ts';

type Endpoints = OutputOf<MethodOf<'system.endpoints'>>;
type Endpoint = Endpoints['items'][number];

let made: Endpoints | undefined;

/** `system.endpoints`: the registry as data, with JSON Schemas of the methods that are built. */
export const endpoints: Handler<'system.endpoints'> = async () => {
  made ??= { items: methods.map(endpointOf) };
  return { data: made };
};

function endpointOf(method: Method): Endpoint {
  const { name, path, access, availability, summary, input, output, idempotencyField } = method;
  return {
    name,
    documentedName: documentedNameOf(method),
    method: method.method,
    path,
    access,
    availability,
    ...(summary === undefined ? {} : { summary }),
    ...(input === undefined
      ? {}
      : {
          input: {
            ...(input.params && { params: schemaOf(input.params, 'input') }),
            ...(input.query && { query: schemaOf(input.query, 'input') }),
            ...(input.body && { body: schemaOf(input.body, 'input') }),
            ...(input.payload !== undefined && { payload: input.payload }),
            ...(input.multipart && { multipart: input.multipart }),
            ...(input.narrowed && { narrowed: narrowedOf(input.narrowed) }),
            ...(idempotencyField !== undefined && { idempotencyField }),
          },
        }),
    ...(output === undefined ? {} : { output: schemaOf(output, 'output') }),
  };
}

function narrowedOf({ path, params }: NarrowedPath) {
  return { path, params: schemaOf(params, 'input') };
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  return { ...z.toJSONSchema(schema, { io }) };
}
