/** Types that server and client take from the registry. */
import type { z } from 'zod';
import type { CallableMethod, Method } from './define.ts';
import type { registry } from './registry.ts';

export type Registry = typeof registry;

/** Every method, as the registry defines it. */
export type AnyMethod = {
  [R in keyof Registry]: Registry[R][keyof Registry[R]];
}[keyof Registry];

/** The definition of the method of that name. */
export type MethodOf<N extends AnyMethod['name']> = Extract<AnyMethod, { name: N }>;
export type LiveName = Extract<AnyMethod, { availability: 'live' }>['name'];
export type CallableName = Extract<AnyMethod, { output: z.ZodType }>['name'];

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

/** What a method takes, all parts in one object. */
export type InputOf<M extends Method> = M extends Method
  ? Part<M, 'params'> & Part<M, 'query'> & Body<M> & FormFile<M> & Narrowed<M>
  : never;

/** The `data` that a method answers. */
export type OutputOf<M extends Method> = M extends CallableMethod ? z.infer<M['output']> : never;
