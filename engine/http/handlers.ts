import type { LiveName, Registry } from '../contract/types.ts';
import type { Handler } from './handler-types.ts';
import * as routes from './routes/index.ts';

type NameOf<R extends keyof Registry, K extends keyof Registry[R]> = Extract<
  Registry[R][K],
  { name: LiveName }
>['name'];

/** Handlers of the methods of a resource that a deployment may serve. */
type HandlersOf<R extends keyof Registry> = {
  readonly [K in keyof Registry[R] as NameOf<R, K> extends never ? never : K]: Handler<
    NameOf<R, K>
  >;
};

/**
 * Handler of each method that a deployment may serve, by resource and method: a missing one does not compile. A
 * method is served by the export of its name in `routes/<resource>/index.ts`.
 */
export const handlers: {
  readonly [R in keyof Registry as keyof HandlersOf<R> extends never ? never : R]: HandlersOf<R>;
} = routes;
