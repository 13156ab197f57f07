import type { z } from 'zod';
import type { Method } from './define.ts';
import type { registry } from './registry.ts';

/** Type of the registry, from which the types of server and client follow. */
export type Registry = typeof registry;

/** Every method, as the registry defines it. */
export type AnyMethod = {
  [R in keyof Registry]: Registry[R][keyof Registry[R]];
}[keyof Registry];

export type MethodName = AnyMethod['name'];

/** Definition of the method with this name. */
export type MethodOf<N extends MethodName> = Extract<AnyMethod, { name: N }>;
/** Name of a method that is built: live, or live where a deployment enables its resource. */
export type LiveName = Extract<AnyMethod, { availability: 'live' | 'optional' }>['name'];

type Part<M extends Method, K extends string> = M extends {
  input: { [P in K]: infer S extends z.ZodType };
}
  ? z.infer<S>
  : unknown;

/** The JSON body: its fields, or all of it under the name that `payload` gives. */
type Body<M extends Method> = M extends {
  input: { payload: infer F extends string; body: infer S extends z.ZodType };
}
  ? { [K in F]: z.infer<S> }
  : Part<M, 'body'>;

/** The file of a multipart form; a `File` is a `Blob`. */
type FormFile<M extends Method> = M extends { input: { multipart: true } }
  ? { file: Blob }
  : unknown;

/** The params of the narrower path, which may all be left out. */
type Narrowed<M extends Method> = M extends {
  input: { narrowed: { params: infer S extends z.ZodType } };
}
  ? { [K in keyof z.infer<S>]?: z.infer<S>[K] | undefined }
  : unknown;

/** Input of a method, all parts in one object. */
export type InputOf<M extends Method> = M extends Method
  ? Part<M, 'params'> & Part<M, 'query'> & Body<M> & FormFile<M> & Narrowed<M>
  : never;

/** `data` of a method's response. */
export type OutputOf<M extends Method> = z.infer<M['output']>;
