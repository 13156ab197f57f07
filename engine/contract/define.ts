import type { z } from 'zod';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What a method takes, by the way it travels (specification, «Request mapping rules»). */
export interface MethodInput {
  /** Path placeholders: a field for each `:name` of the path. */
  readonly params?: z.ZodObject;
  /** Query fields of a GET; without it the method takes none. */
  readonly query?: z.ZodObject;
  /** Fields of a JSON body. */
  readonly body?: z.ZodObject;
  /**
   * The field that holds the body: callers and handlers have it under this name, and it travels
   * alone (rule 3). A wrapper, `{ "<payload>": … }`, fails the strict schema with 400.
   */
  readonly payload?: string;
  /**
   * The body is a form with one file, in the field `file` (rule 4): `file: Blob` for callers and
   * handlers. Its size is limited before it is read.
   */
  readonly multipart?: true;
  /** A second, narrower path of the method, taken where its params are given. */
  readonly narrowed?: NarrowedPath;
}

/** Another path of the same method, for one thing instead of all: `vault.get` of a campaign. */
export interface NarrowedPath {
  readonly path: `/v1/${string}`;
  /** Its placeholders; all of them are given, or the method's own path is taken. */
  readonly params: z.ZodObject;
}

/** One method of the HTTP interface: everything that server, client and documentation need. */
export interface Method {
  /** `resource.method`, as the client spells it. */
  readonly name: `${string}.${string}`;
  /** `null` where the specification leaves the name open and this project chose it. */
  readonly documentedName?: null;
  readonly method: HttpMethod;
  /** With `:name` placeholders; begins with /v1. */
  readonly path: `/v1/${string}`;
  /** `session` needs somebody signed in. */
  readonly access: 'public' | 'session';
  /** A public method that says more, or other things, to somebody who is signed in. */
  readonly readsSession?: true;
  /** `designed` methods are defined, and answer 501 METHOD_UNAVAILABLE to everybody. */
  readonly availability: 'live' | 'designed';
  /** One sentence; present, like the schemas, from the day the method is built. */
  readonly summary?: string;
  readonly input?: MethodInput;
  /** The field of the body whose value also travels as the header `idempotency-key`. */
  readonly idempotencyField?: string;
  /** The `data` of a successful answer. */
  readonly output?: z.ZodType;
}

/** A method that has its schemas: one that can be called. */
export type CallableMethod = Method & {
  readonly summary: string;
  readonly input: MethodInput;
  readonly output: z.ZodType;
};

/** Keeps a method's literal types, from which server and client take theirs. */
export function defineMethod<const M extends Method>(method: M): M {
  return method;
}

export function isCallable(method: Method): method is CallableMethod {
  return method.output !== undefined && method.input !== undefined && method.summary !== undefined;
}

/** The name that the specification gives a method; `null` where it gives none. */
export function documentedNameOf(method: Method): string | null {
  return method.documentedName === null ? null : method.name;
}

/** The paths of a method: its own, and the narrower one where it has one. */
export function pathsOf({ path, input }: Method): readonly string[] {
  return input?.narrowed ? [path, input.narrowed.path] : [path];
}
