import { isCallable, type Method } from '../../contract/define.ts';
import { ResponseMeta } from '../../contract/envelope.ts';
import { methods } from '../../contract/registry.ts';
import { streamMethod } from '../../contract/stream.ts';
import { SESSION_COOKIE } from '../auth/cookie.ts';
import { errorSchema, failureResponses } from './failures.ts';
import { operationOf } from './operation.ts';
import { type JsonObject, schemaOf } from './schema.ts';
import { streamOperation } from './stream.ts';
import { tagDescriptions } from './tags.ts';

const DESCRIPTION = [
  'Indexer and reward-settlement engine for on-chain referral commerce.',
  'Amounts are strings, in base units of their token. Success is `{ data, meta }`, failure is',
  '`{ error }`. `meta.chain` says as of which block the ledger was read.',
].join('\n');

/** HTTP interface as an OpenAPI 3.1 document, generated from the schemas of the registry. */
export function openApiDocument(): JsonObject {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tributary',
      version: '1.0.0',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'The operator of this service' },
    },
    servers: [{ url: '/', description: 'This service.' }],
    tags: Object.entries(tagDescriptions).map(([name, description]) => ({ name, description })),
    paths: pathsOfAll(),
    components: {
      schemas: { Meta: schemaOf(ResponseMeta, 'output'), Error: errorSchema() },
      responses: failureResponses(),
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: SESSION_COOKIE,
          description: 'Set by auth.signIn (EIP-4361).',
        },
        csrf: {
          type: 'apiKey',
          in: 'header',
          name: 'x-csrf-token',
          description: 'The csrfToken of the session; writes come from an allowed Origin.',
        },
      },
    },
  };
}

function pathsOfAll(): Record<string, JsonObject> {
  const paths: Record<string, JsonObject> = { [streamMethod.path]: { get: streamOperation() } };
  for (const method of methods) {
    for (const { path, operation } of operationsOf(method)) {
      const item = paths[path] ?? {};
      item[method.method.toLowerCase()] = operation;
      paths[path] = item;
    }
  }
  return paths;
}

function operationsOf(method: Method): { path: string; operation: JsonObject }[] {
  if (!isCallable(method)) return [];
  const { path, input } = method;
  const own = { path: templateOf(path), operation: operationOf(method, input.params) };
  if (!input.narrowed) return [own];
  const { path: narrow, params } = input.narrowed;
  return [own, { path: templateOf(narrow), operation: operationOf(method, params) }];
}

/** `:name` as `{name}`. */
function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}
