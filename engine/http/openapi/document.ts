import type { Method } from '../../contract/define.ts';
import { ResponseMeta } from '../../contract/envelope.ts';
import {
  type OptionalResource,
  type ServedMethod,
  servedMethods,
} from '../../contract/registry.ts';
import { streamMethod } from '../../contract/stream.ts';
import { SESSION_COOKIE } from '../auth/cookie.ts';
import { type Example, readExamples } from './examples.ts';
import { documentOf, templateOf } from './frame.ts';
import { operationOf } from './operation.ts';
import { type JsonObject, SchemaSet } from './schema.ts';
import { streamOperation } from './stream.ts';

const DESCRIPTION = [
  'Indexer and reward-settlement engine for on-chain referral commerce.',
  'Amounts are strings, in base units of their token. Success is `{ data, meta }`, failure is',
  '`{ error }`. `meta.chain` says as of which block the ledger was read.',
].join('\n');

/** HTTP interface as an OpenAPI 3.1 document, generated from the schemas of the registry. */
export function openApiDocument(enabled: ReadonlySet<OptionalResource> = new Set()): JsonObject {
  const methods = servedMethods(enabled);
  const schemas = new SchemaSet();
  schemas.of(ResponseMeta, 'output');
  const all = [streamMethod, ...methods];
  const paths = pathsOfAll(methods, {
    schemas,
    hasKeys: enabled.has('apiKeys'),
    examples: readExamples(),
  });
  return documentOf({
    title: 'Tributary',
    description: DESCRIPTION,
    tags: Object.fromEntries(all.map(({ name, about }) => [name.split('.')[0], about])),
    methods: all,
    paths,
    schemas,
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
      ...(enabled.has('apiKeys') && { apiKey: keyScheme }),
    },
  });
}

/** An API key needs the scope that an operation names, and then neither cookie nor CSRF token. */
const keyScheme = {
  type: 'http',
  scheme: 'bearer',
  description: 'A key of apiKeys.create with the scope that the operation names.',
};

/** Parts that the operations of a document share. */
interface Shared {
  readonly schemas: SchemaSet;
  readonly hasKeys: boolean;
  readonly examples: Readonly<Record<string, Example>>;
}

function pathsOfAll(methods: readonly ServedMethod[], shared: Shared): Record<string, JsonObject> {
  const paths: Record<string, JsonObject> = {
    [streamMethod.path]: { get: streamOperation(shared.schemas) },
  };
  for (const method of methods) {
    for (const { path, operation } of operationsOf(method, shared)) {
      const item = paths[path] ?? {};
      item[method.method.toLowerCase()] = operation;
      paths[path] = item;
    }
  }
  return paths;
}

function operationsOf(
  method: Method,
  { examples, ...shared }: Shared,
): { path: string; operation: JsonObject }[] {
  const { name, path, input } = method;
  const own = {
    path: templateOf(path),
    operation: operationOf(method, { ...shared, example: examples[name], params: input.params }),
  };
  if (!input.narrowed) return [own];
  const { path: narrow, params } = input.narrowed;
  const example = examples[`${name}.narrowed`];
  const operation = operationOf(method, { ...shared, example, params });
  return [own, { path: templateOf(narrow), operation }];
}
