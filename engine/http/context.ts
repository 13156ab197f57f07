import type { RequestIdVariables } from 'hono/request-id';
import type { WriteDeadline } from '../db/write-deadline.ts';

/** What the middleware leaves for handlers, and a route for the middleware. */
export interface AppEnv {
  Variables: RequestIdVariables & {
    /** The method of the registry that answered; unset where no route did. */
    methodName?: string;
    /** The time limit of the request; unset for routes that have none. */
    deadline?: WriteDeadline;
    /** The answer is of the site: it gets the headers of pages. */
    isPage?: boolean;
  };
}
