/** «Audit entry» of the specification. */
import { z } from 'zod';
import { Hash32, Id, Timestamp } from '../values.ts';

export const AuditEntry = z.strictObject({
  id: Id,
  actor: z.string().describe('Who did it: an address, or the name of a job.'),
  role: z.string().describe('In which role.'),
  resource: z.string().describe('On what, as resource:id.'),
  action: z.string().describe('What was done.'),
  beforeHash: Hash32.nullable().describe('keccak-256 of what was there; null where nothing was.'),
  afterHash: Hash32.nullable().describe('keccak-256 of what is there; null where nothing is.'),
  at: Timestamp,
});
