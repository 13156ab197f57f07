import type { RequestIdVariables } from 'hono/request-id';
import type { KeyRequest } from '../db/commerce/api-key-usage.ts';
import type { WriteDeadline } from '../db/write-deadline.ts';

/** Variables of a request that middleware and routes pass to each other. */
export interface AppEnv {
  Variables: RequestIdVariables & {
    /** Name of the method that answered; unset if no route did. */
    methodName?: string;
    /** API key that the request came with, and the campaign of its path. */
    keyUse?: Pick<KeyRequest, 'keyId' | 'campaignId'>;
    /** Time limit of the request; unset for routes that have none. */
    deadline?: WriteDeadline;
    /** Headers that middleware has set for the response, by their names in lower case: see `headersOf`. */
    headers?: Record<string, string>;
    /** True if the response belongs to the site: it gets the headers of pages. */
    isPage?: boolean;
  };
}
