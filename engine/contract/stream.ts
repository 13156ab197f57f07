import { z } from 'zod';
import { get, resource } from './define.ts';
import { StreamQuery } from './shapes/stream.ts';

const stream = resource('stream', { about: 'Settled changes as they come.', caller: 'public' })({
  open: get('/v1/stream', {
    summary: 'Settled changes as they happen, as server-sent events.',
    input: { query: StreamQuery },
    output: z.string(),
  }),
});

/**
 * `GET /v1/stream`. It is not in the registry, because its response is not JSON and does not end. Its
 * input is decoded and documented like that of the methods.
 */
export const streamMethod = stream.open;
