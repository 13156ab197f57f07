import { z } from 'zod';
import { nameSchemas } from '../names.ts';
import { Hash32, Id, Timestamp } from '../values.ts';

/** An entry of the audit log of a merchant's team. */
export const AuditEntry = z.strictObject({
  id: Id,
  actor: z.string().describe('Who did it: an address, or the name of a job.'),
  role: z.string().describe('Role of the actor.'),
  resource: z.string().describe('Object of the action, as resource:id.'),
  action: z.string().describe('What was done.'),
  beforeHash: Hash32.nullable().describe('keccak-256 of the object before; null if it is new.'),
  afterHash: Hash32.nullable().describe('keccak-256 of the object after; null if there is none.'),
  at: Timestamp,
});

nameSchemas({ AuditEntry });
