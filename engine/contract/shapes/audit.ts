import { z } from 'zod';
import { nameSchemas } from '../names.ts';
import { Hash32, Id, Timestamp } from '../values.ts';

/** An entry of the audit log of a merchant's team. */
export const AuditEntry = z.strictObject({
  id: Id.describe('Hash of the entry and of the one before it (docs/use/teams.md#audit-log).'),
  actor: z.string().describe('Who did it: an address, with the id of the API key if it used one.'),
  role: z.string().describe('Role of the actor at that time.'),
  resource: z.string().describe('Object of the action, as resource:id.'),
  action: z.string().describe('Name of the method.'),
  beforeHash: Hash32.nullable().describe('SHA-256 of the stored object before; null if it is new.'),
  afterHash: Hash32.nullable().describe(
    'SHA-256 of the stored object after; null if it was deleted.',
  ),
  at: Timestamp,
});

nameSchemas({ AuditEntry });
