import { randomUUID } from 'node:crypto';

/** The id of this process, which `/health` answers: whoever started the API knows it by that. */
export const instance: string = randomUUID();
