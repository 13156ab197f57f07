import { acceptsIdempotencyKey, type HttpMethod, type Method } from '../contract/define.ts';
import { registry } from '../contract/registry.ts';

/** Facts of a method that its request follows from. */
export interface RequestShape {
  readonly name: string;
  readonly method: HttpMethod;
  readonly path: string;
  /** Field of the body whose value also travels as the header `idempotency-key`. */
  readonly idempotencyField?: string;
  readonly input: {
    /** Present if the path has placeholders. */
    readonly params?: unknown;
    /** Present if a `GET` takes fields in its query. */
    readonly query?: unknown;
    /** Present if the method has a body. */
    readonly body?: unknown;
    /** Field that travels alone as the body. */
    readonly payload?: string;
    readonly multipart?: true;
    /** A second path, used if all its placeholders have a field. */
    readonly narrowed?: { readonly path: string };
  };
}

/** Facts of a method that the client calls it by: plain data, so that pages can carry them without the schemas. */
export interface ClientMethod extends RequestShape {
  readonly access: Method['access'];
  /** True if the response depends on the account that is signed in, if there is one. */
  readonly readsSession?: true;
  /** True for a write that may be named by the header `Idempotency-Key`. */
  readonly isNamable?: true;
  /** True for a write that can need a fresh signature: its body has `confirmationToken`. */
  readonly isConfirmable?: true;
}

/** All methods, by resource and name. `web/vite.config.ts` replaces this module by its value. */
export const clientMethods: Readonly<Record<string, Readonly<Record<string, ClientMethod>>>> =
  Object.fromEntries(
    Object.entries(registry).map(([resource, methods]) => [
      resource,
      Object.fromEntries(
        Object.entries<Method>(methods).map(([key, method]) => [key, clientMethodOf(method)]),
      ),
    ]),
  );

function clientMethodOf(declared: Method): ClientMethod {
  const { name, method, path, access, readsSession, idempotencyField, input } = declared;
  const { body, payload, multipart, narrowed } = input;
  return {
    ...{ name, method, path, access },
    ...(readsSession && { readsSession }),
    ...(idempotencyField !== undefined && { idempotencyField }),
    ...(acceptsIdempotencyKey(declared) && { isNamable: true }),
    ...(body !== undefined && 'confirmationToken' in body.shape && { isConfirmable: true }),
    input: {
      ...(body !== undefined && { body: true }),
      ...(payload !== undefined && { payload }),
      ...(multipart && { multipart }),
      ...(narrowed && { narrowed: { path: narrowed.path } }),
    },
  };
}
