import { z } from 'zod';
import { defineMethod } from '../define.ts';
import { Address, Id, pageOf, pageQuery, Timestamp, textInput } from '../values.ts';

const Alarm = z.strictObject({
  key: z.string().describe('Names the alarm for alarms.acknowledge.'),
  name: z
    .enum(['campaign-stopped', 'discrepancies', 'audit-failed'])
    .describe('What is wrong: docs/operations.md says what to do.'),
  campaignId: z.string().nullable().describe('null where it is about a token.'),
  token: Address.nullable(),
  merchant: Address.nullable().describe('null where it is about a token.'),
  sentence: z.string(),
  since: Timestamp.nullable().describe('null where nobody noted when it began.'),
  level: z
    .string()
    .describe('How bad it is, in digits: a count, missing base units, or when it stopped.'),
  acknowledged: z
    .strictObject({
      key: z.string().describe('The key that was acknowledged; it may be that of a token.'),
      by: z.string().describe('The operator’s address, or "command line".'),
      at: Timestamp,
      reason: z.string(),
    })
    .nullable()
    .describe('null where the alarm is open.'),
});

const body = z.strictObject({
  key: textInput(300)
    .min(1)
    .describe('Of one alarm; or name/token/address/* or name/merchant/address/* for all of these.'),
  reason: textInput(500).min(1).describe('Why; 1 to 500 characters.'),
});

const Decision = z.strictObject({
  id: Id.describe('Counts up: a later decision has a higher one.'),
  key: z.string(),
  action: z.enum(['acknowledge', 'unacknowledge']),
  level: z.string().nullable().describe('Above it the alarm shows again; null for no limit.'),
  reason: z.string(),
  by: z.string(),
  at: Timestamp,
});

/** Alarms about campaigns and tokens, for operators (docs/operations.md, "Alarms"). */
export const alarms = {
  list: defineMethod({
    name: 'alarms.list',
    documentedName: null,
    method: 'GET',
    path: '/v1/operator/alarms',
    access: 'session',
    availability: 'live',
    summary: 'Alarms about campaigns and tokens, with who acknowledged them, when and why.',
    input: {
      query: z.strictObject({
        ...pageQuery,
        state: z.enum(['open', 'acknowledged']).describe('Only these; default both.').optional(),
      }),
    },
    output: pageOf(Alarm),
  }),
  acknowledge: defineMethod({
    name: 'alarms.acknowledge',
    documentedName: null,
    method: 'POST',
    path: '/v1/operator/alarms/acknowledge',
    access: 'session',
    availability: 'live',
    summary:
      'Acknowledges an alarm at its level, or all of a token or merchant, now and later; 404 where there is none.',
    input: { body },
    output: Decision,
  }),
  unacknowledge: defineMethod({
    name: 'alarms.unacknowledge',
    documentedName: null,
    method: 'POST',
    path: '/v1/operator/alarms/unacknowledge',
    access: 'session',
    availability: 'live',
    summary: 'Takes an acknowledgement back; 409 where the key is not acknowledged.',
    input: { body },
    output: Decision,
  }),
} as const;
