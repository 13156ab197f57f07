import type { RequestIdVariables } from 'hono/request-id';

/** What the middleware leaves for handlers. */
export interface AppEnv {
  Variables: RequestIdVariables;
}
