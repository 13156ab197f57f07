import { z } from 'zod';
import { defineMethod } from './define.ts';
import { StreamQuery } from './shapes/stream.ts';

/**
 * `GET /v1/stream`. It is no method of the registry, for its answer is no JSON and does not end; what
 * it takes is read, and told in the documents, as theirs is.
 */
export const streamMethod = defineMethod({
  name: 'stream.open',
  method: 'GET',
  path: '/v1/stream',
  access: 'public',
  availability: 'live',
  summary: 'Settled changes as they come, as server-sent events.',
  input: { query: StreamQuery },
  output: z.string(),
});
