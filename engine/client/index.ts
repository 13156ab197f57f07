export { type Client, createClient } from './create-client.ts';
export { ApiError } from './error.ts';
