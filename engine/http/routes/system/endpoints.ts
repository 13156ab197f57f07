import { z } from 'zod';
import { documentedNameOf, type NarrowedPath } from '../../../contract/define.ts';
import { type ServedMethod, servedMethods } from '../../../contract/registry.ts';
import { neededRole, scopeOf } from '../../../contract/scopes.ts';
import type { MethodOf, OutputOf } from '../../../contract/types.ts';
import type { Handler } from '../../handler-types.ts';

type Endpoint = OutputOf<MethodOf<'system.endpoints'>>['items'][number];

/** `system.endpoints`: the registry as data, with JSON Schemas of the methods that are built. */
export const endpoints: Handler<'system.endpoints'> = async (_input, { enabled }) => ({
  data: { items: servedMethods(enabled).map(endpointOf) },
});

function endpointOf(method: ServedMethod): Endpoint {
  const { name, path, access, availability, summary, input, output, idempotencyField } = method;
  const [role, scope] = [neededRole(method), scopeOf(method)];
  return {
    name,
    documentedName: documentedNameOf(method),
    method: method.method,
    path,
    access,
    availability,
    ...(role && { role }),
    ...(scope && { scope }),
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
