import type { z } from 'zod';
import type { Role } from './roles.ts';

/** HTTP method of an API method. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Input of a method, by where it is in the request (docs/reference/api.md#how-a-call-becomes-a-request). */
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
  /** A second, narrower path of the method, used if its params are given. */
  readonly narrowed?: NarrowedPath;
}

/** A second path of a method, for one object instead of all: `vault.get` for one campaign. */
export interface NarrowedPath {
  readonly path: `/v1/${string}`;
  /** Its placeholders. If one of them is missing in a call, the method's own path is used. */
  readonly params: z.ZodObject;
}

/**
 * Who may call a method with a session: `account`, every signed-in account, for itself; `operator`, accounts
 * that run the service; a role, members of a merchant's team with that role or a higher one, for the merchant.
 */
export type AllowedCaller = 'account' | 'operator' | Role;

/** Who may call a method. A method with a session says for whom it acts, so that no method can forget to. */
type Access =
  | {
      readonly access: 'public';
      /** True if the response depends on the account that is signed in, if there is one. */
      readonly readsSession?: true;
      readonly caller?: undefined;
      readonly memberRole?: undefined;
      readonly sessionOnly?: undefined;
      readonly rights?: undefined;
    }
  | {
      readonly access: 'session';
      readonly caller: AllowedCaller;
      /**
       * For a method of an account itself that also serves a merchant's team: the role that a member needs to call it
       * for the merchant of the header `x-merchant`. Without the header, the account acts only for itself.
       */
      readonly memberRole?: Role;
      /** True if no API key may call it: it needs somebody who signed in. */
      readonly sessionOnly?: true;
      /** Effect on the rights of members, keys, receivers of events or mails, and sessions. */
      readonly rights?: RightsChange;
      readonly readsSession?: undefined;
    };

/**
 * Effect of a method on rights that outlive its request (docs/use/teams.md#changes-of-rights):
 * - `narrows` only takes rights away. No API key may call it.
 * - `widens` gives or restores a right. No API key may call it, and it needs a fresh signature, which is
 *   checked before its handler runs.
 * - `{ widensBy }` does so if a request has a value other than null for one of these fields of the body.
 */
export type RightsChange = 'narrows' | 'widens' | { readonly widensBy: readonly string[] };

/** One method of the API: everything that server, client and documentation need. */
export type Method = Access & MethodParts;

interface MethodParts {
  /** `resource.method`, as in the client. */
  readonly name: `${string}.${string}`;
  /** Name in the public documentation; `null` if this project chose the name. */
  readonly documentedName?: null;
  readonly method: HttpMethod;
  /** Path with `:name` placeholders; begins with /v1. */
  readonly path: `/v1/${string}`;
  /**
   * `designed` methods are only defined: they answer 501 METHOD_UNAVAILABLE. `optional` ones do so unless
   * the deployment enables their resource (DESIGNED_METHODS, SMTP_URL).
   */
  readonly availability: 'live' | 'designed' | 'optional';
  /** One sentence for the documentation. A method without it, and without schemas, cannot be called. */
  readonly summary?: string;
  readonly input?: MethodInput;
  /**
   * True if the response has a secret, or a link that opens for everybody who has it. It is returned once and
   * is not stored, so an `Idempotency-Key` of such a write gives no second response.
   */
  readonly returnsSecret?: true;
  /** The field of the body whose value also travels as the header `idempotency-key`. */
  readonly idempotencyField?: string;
  /** Schema of `data` in a successful response. */
  readonly output?: z.ZodType;
}

/** A method that has its schemas, so that it can be called. */
export type CallableMethod = Method & {
  readonly summary: string;
  readonly input: MethodInput;
  readonly output: z.ZodType;
};

/** Returns the method with its literal types, from which the types of server and client follow. */
export function defineMethod<const M extends Method>(method: M): M {
  return method;
}

/** True if a method has its schemas, so that it can be called. */
export function isCallable(method: Method): method is CallableMethod {
  return method.output !== undefined && method.input !== undefined && method.summary !== undefined;
}

/** True if a request with this input gives a right, so that it needs a fresh signature. */
export function widensRights({ rights }: Method, input: unknown): boolean {
  if (rights === undefined || rights === 'narrows') return false;
  if (rights === 'widens') return true;
  const given = new Map(Object.entries(input ?? {}));
  return rights.widensBy.some((field) => (given.get(field) ?? null) !== null);
}

/**
 * True for a write that may be named by the header `Idempotency-Key`, so that a repeated request does
 * nothing again (docs/reference/api.md#repeating-a-write). `PUT`, `PATCH` and `DELETE` need no name for that.
 */
export function acceptsIdempotencyKey({ method, access, name, idempotencyField }: Method): boolean {
  const isCreating = method === 'POST' && access === 'session' && !name.startsWith('auth.');
  return isCreating && idempotencyField === undefined;
}

/** Name of a method in the public documentation; `null` if this project chose the name. */
export function documentedNameOf(method: Method): string | null {
  return method.documentedName === null ? null : method.name;
}

/** Paths of a method: its own, and the narrower one if it has one. */
export function pathsOf({ path, input }: Method): readonly string[] {
  return input?.narrowed ? [path, input.narrowed.path] : [path];
}
