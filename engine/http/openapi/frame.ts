import { version } from '../../version.ts';
import { failureExamples, failureResponses } from './failures.ts';
import { headerComponents, headerParameters, notModified } from './headers.ts';
import type { JsonObject, SchemaSet } from './schema.ts';

/** The part that differs between documents. */
interface Content {
  readonly title: string;
  readonly description: string;
  /** Descriptions of tags, by name. */
  readonly tags: Readonly<Record<string, string>>;
  /** Methods whose errors the components list. */
  readonly methods: Parameters<typeof failureExamples>[0];
  readonly paths: Readonly<Record<string, JsonObject>>;
  /** Schemas that the paths refer to. */
  readonly schemas: SchemaSet;
  readonly securitySchemes: JsonObject;
}

/** An OpenAPI 3.1 document with what every document of ours has: version, licence, errors and headers. */
export function documentOf(content: Content): JsonObject {
  const { title, description, tags, methods, paths, schemas, securitySchemes } = content;
  // Before `schemas.all()`: the responses add schemas.
  const responses = { NotModified: notModified, ...failureResponses(methods, schemas) };
  return {
    openapi: '3.1.0',
    info: {
      title,
      version,
      description,
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'The operator of this service' },
    },
    servers: [{ url: '/', description: 'This service.' }],
    tags: Object.entries(tags).map(([name, about]) => ({ name, description: about })),
    paths,
    components: {
      schemas: schemas.all(),
      responses,
      examples: failureExamples(methods),
      headers: headerComponents,
      parameters: headerParameters,
      securitySchemes,
    },
  };
}

/** Path of a method as OpenAPI writes it: `{name}` for `:name`. */
export function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}
