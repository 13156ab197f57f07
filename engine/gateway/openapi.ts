import type { Method } from '../contract/define.ts';
import { ResponseMeta } from '../contract/envelope.ts';
import { documentOf, templateOf } from '../http/openapi/frame.ts';
import { limitHeaders } from '../http/openapi/headers.ts';
import { operationOf } from '../http/openapi/operation.ts';
import { type JsonObject, SchemaSet } from '../http/openapi/schema.ts';
import { cookieNameOf } from './cookies.ts';
import { gatewayMethods, routedMethods } from './methods.ts';
import { GatewayMeta } from './shapes.ts';

const DESCRIPTION = [
  'Several deployments of Tributary under one address. The methods below answer from all of them, and',
  '`meta.deployments` names those that answered and those that are missing. The whole interface of',
  'one deployment is under `/d/{chainId}/{contract}`: use that as the base URL of a client.',
].join('\n');

/** Interface of the gateway as an OpenAPI 3.1 document, generated from its methods. */
export function gatewayDocument(): JsonObject {
  const schemas = new SchemaSet();
  schemas.of(ResponseMeta, 'output');
  const meta = schemas.of(GatewayMeta, 'output');
  const across: readonly Method[] = Object.values(gatewayMethods);
  const all = [...across, ...routedMethods];
  const paths: Record<string, JsonObject> = {};
  for (const method of all) {
    const path = templateOf(method.path);
    const parts = { params: method.input.params, example: undefined, schemas, hasKeys: false };
    const isAcross = across.includes(method);
    const operation = operationOf(
      method,
      isAcross ? { ...parts, success: successOf(method, schemas, meta) } : parts,
    );
    paths[path] = { ...paths[path], [method.method.toLowerCase()]: operation };
  }
  const tags = all.map(({ name }) => name.split('.')[0] ?? '');
  return documentOf({
    title: 'Tributary gateway',
    description: DESCRIPTION,
    tags: Object.fromEntries(tags.map((name) => [name, `Methods of ${name} across deployments.`])),
    methods: all,
    paths,
    schemas,
    securitySchemes: {
      session: {
        type: 'apiKey',
        in: 'cookie',
        name: cookieNameOf({ chainId: 1, contractAddress: '0x…' }),
        description: 'The session at each deployment, set by its auth.signIn (EIP-4361).',
      },
    },
  });
}

function successOf(method: Method, schemas: SchemaSet, meta: JsonObject): JsonObject {
  const schema = {
    type: 'object',
    properties: { data: schemas.of(method.output, 'output'), meta },
    required: ['data', 'meta'],
    additionalProperties: false,
  };
  return {
    description: 'Success, of the deployments that `meta.deployments` names.',
    headers: limitHeaders,
    content: { 'application/json': { schema } },
  };
}
