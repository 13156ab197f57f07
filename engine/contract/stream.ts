import { z } from 'zod';
import { defineMethod } from './define.ts';
import { StreamQuery } from './shapes/stream.ts';

/**
 * `GET /v1/stream`. It is not in the registry, because its response is not JSON and does not end. Its
 * input is decoded and documented like that of the methods.
 */
export const streamMethod = defineMethod({
  name: 'stream.open',
  method: 'GET',
  path: '/v1/stream',
  access: 'public',
  availability: 'live',
  summary: 'Settled changes as they happen, as server-sent events.',
  input: { query: StreamQuery },
  output: z.string(),
});
