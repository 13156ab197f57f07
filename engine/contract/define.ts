import { z } from 'zod';
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

/** How the server answers a method. None of these facts changes a response. */
export interface Serving {
  /**
   * Its responses are cached: many callers ask for the same, or one page asks for it repeatedly, and it costs more
   * than reading a row by its key. A single row of a ledger of millions is not cached, because hardly anybody asks for
   * the same one twice. Nor is a method that reads the chain or the clock, which its handler would not compile with.
   */
  readonly cached?: true;
  /** Its result stays the same while the process runs: it is stored as it is sent. */
  readonly constant?: true;
  /**
   * Its reads can take longer than 50 ms with a million sales in the ledger. Its requests use separate connections, so
   * that other requests never wait for them. Their session is looked up on the connections for all other requests.
   */
  readonly long?: true;
  /**
   * Whether a replica may answer it. Default: true for a public read, false for one with a session, because the
   * session's own rows may be newer than those of the replica. True is for reads that sum up or list the ledger, which
   * settlement alone writes. False is for a public read that returns constants, describes the service itself, or
   * begins something whose next step reads the primary.
   */
  readonly replica?: boolean;
  /** It is a `GET` that also stores what it found on the chain, so its write needs the time limit of writes. */
  readonly writes?: true;
}

/** One method of the API: everything that server, client and documentation need. */
export type Method = Access & MethodParts;

interface MethodParts {
  /** `resource.method`, as in the client. */
  readonly name: `${string}.${string}`;
  /** Description of its resource, for the reference page. */
  readonly about: string;
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
  readonly serving?: Serving;
  /** One sentence for the documentation. */
  readonly summary: string;
  readonly input: MethodInput;
  /**
   * True if the response has a secret, or a link that opens for everybody who has it. It is returned once and
   * is not stored, so an `Idempotency-Key` of such a write gives no second response.
   */
  readonly returnsSecret?: true;
  /** The field of the body whose value also travels as the header `idempotency-key`. */
  readonly idempotencyField?: string;
  /** Schema of `data` in a successful response. */
  readonly output: z.ZodType;
}

/** Facts that all methods of a resource have, unless a method states its own. */
interface ResourceFacts {
  /** Description of the resource, for the reference page. */
  readonly about: string;
  /** Who may call a method: `public`, or who needs a session. */
  readonly caller: 'public' | AllowedCaller;
  readonly documentedName?: null;
  /** Default `live`. */
  readonly availability?: Method['availability'];
}

/** A method within its resource, which gives it its name and the facts that it does not state. */
type Declaration = Omit<MethodParts, 'name' | 'about' | 'availability'> &
  Partial<Pick<ResourceFacts, 'caller' | 'availability'>> & {
    readonly [K in 'readsSession' | 'memberRole' | 'sessionOnly' | 'rights']?: Method[K];
  };

type Stated<D, F, K extends string, Default> = D extends { readonly [P in K]: infer V }
  ? V
  : F extends { readonly [P in K]: infer V }
    ? V
    : Default;

type AccessOf<C> = C extends 'public'
  ? { readonly access: 'public' }
  : { readonly access: 'session'; readonly caller: C };

/** A declared method with its name, access and availability. */
type Declared<N extends string, F, D> = AccessOf<Stated<D, F, 'caller', never>> &
  Omit<D, 'caller' | 'availability'> & {
    readonly name: N;
    readonly about: string;
    readonly availability: Stated<D, F, 'availability', 'live'>;
  };

/**
 * Returns a function that declares the methods of a resource, with their literal types: those of server and client
 * follow from them.
 *
 * @example
 * resource('blocks', { about: 'Blocks of the chain.', caller: 'public' })({
 *   get: get('/v1/blocks/:number', { summary: 'A block.', input: { params }, output: Block }),
 * })
 */
export function resource<const R extends string, const F extends ResourceFacts>(name: R, facts: F) {
  return <const D extends Readonly<Record<string, Declaration>>>(declarations: D) => {
    const methods = Object.entries(declarations).map(([key, declaration]) => {
      const { caller, ...method } = { availability: 'live', ...facts, ...declaration };
      const access = caller === 'public' ? { access: caller } : { access: 'session', caller };
      return [key, { name: `${name}.${key}`, ...access, ...method }];
    });
    return Object.fromEntries(methods) as {
      readonly [K in keyof D & string]: Declared<`${R}.${K}`, F, D[K]>;
    };
  };
}

type Path = `/v1/${string}`;

type Facts = Omit<Declaration, 'method' | 'path'>;

/** Refuses fields that T does not have, so that a misspelt fact does not compile. */
type Only<T, D> = { readonly [K in Exclude<keyof D, keyof T>]: never };

function declared<const V extends HttpMethod>(method: V) {
  return <const P extends Path, const D extends Facts>(
    path: P,
    facts: D & Only<Facts, D> & { readonly serving?: Only<Serving, D['serving']> },
  ) => ({ method, path, ...(facts as D) });
}

/** Declares a method `GET` of a path. */
export const get = declared('GET');
/** Declares a method `POST` of a path. */
export const post = declared('POST');
/** Declares a method `PUT` of a path. */
export const put = declared('PUT');
/** Declares a method `PATCH` of a path. */
export const patch = declared('PATCH');
/** Declares a method `DELETE` of a path. */
export const del = declared('DELETE');

/**
 * Declares a method of the specification that is not built: it answers 501 to every request, so it has no schema except
 * of its path.
 */
export function designed<const P extends Path, const D extends Omit<Facts, 'input' | 'output'>>(
  method: HttpMethod,
  path: P,
  facts: D & Only<Facts, D>,
) {
  const placeholders = [...path.matchAll(/:(\w+)/g)].map(([, field = '']) => [field, z.string()]);
  const params = z.strictObject(Object.fromEntries(placeholders));
  const input = placeholders.length === 0 ? {} : { params };
  const availability = 'designed' as const;
  return { method, path, availability, input, output: z.never(), ...(facts as D) };
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
  return input.narrowed ? [path, input.narrowed.path] : [path];
}
