import { z } from 'zod';
import { defineMethod } from '../define.ts';
import { nameSchemas } from '../names.ts';
import { Address, Id, pageOf, pageQuery, Timestamp, textInput } from '../values.ts';

const Alarm = z.strictObject({
  key: z.string().describe('Names the alarm for alarms.acknowledge.'),
  name: z
    .enum(['campaign-stopped', 'discrepancies', 'audit-failed'])
    .describe('Kind of the alarm: docs/operate/alarms.md says what to do.'),
  campaignId: z.string().nullable().describe('null if it is about a token.'),
  token: Address.nullable(),
  merchant: Address.nullable().describe('null if it is about a token.'),
  sentence: z.string(),
  since: Timestamp.nullable().describe('null if the start is unknown.'),
  level: z
    .string()
    .describe('Severity in digits: a count, missing base units, or the time of the stop.'),
  acknowledged: z
    .strictObject({
      key: z.string().describe('The key that was acknowledged; it may be that of a token.'),
      by: z.string().describe('The operator’s address, or "command line".'),
      at: Timestamp,
      reason: z.string(),
    })
    .nullable()
    .describe('null if the alarm is open.'),
});

const body = z.strictObject({
  key: textInput(300)
    .min(1)
    .describe(
      'Key of one alarm; name/token/address/* or name/merchant/address/* for all alarms of a token or merchant.',
    ),
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

nameSchemas({ Alarm, AlarmDecision: Decision });

/** Alarms about campaigns and tokens, for operators (docs/operate/alarms.md, "Alarms"). */
export const alarms = {
  list: defineMethod({
    name: 'alarms.list',
    documentedName: null,
    method: 'GET',
    path: '/v1/operator/alarms',
    access: 'session',
    caller: 'operator',
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
    caller: 'operator',
    availability: 'live',
    summary:
      'Acknowledges an alarm at its level, or all present and future ones of a token or merchant; 404 if there is none.',
    input: { body },
    output: Decision,
  }),
  unacknowledge: defineMethod({
    name: 'alarms.unacknowledge',
    documentedName: null,
    method: 'POST',
    path: '/v1/operator/alarms/unacknowledge',
    access: 'session',
    caller: 'operator',
    availability: 'live',
    summary: 'Revokes an acknowledgement; 409 if the key is not acknowledged.',
    input: { body },
    output: Decision,
  }),
} as const;
