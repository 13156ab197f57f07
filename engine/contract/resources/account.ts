import { z } from 'zod';
import { get, post, resource } from '../define.ts';
import { nameSchemas } from '../names.ts';
import { ConfirmationToken, Count, pageOf, pageQuery, Timestamp, Uri } from '../values.ts';

const StoredRow = z.strictObject({
  table: z.string().describe('Table of schema commerce: docs/privacy.md explains each.'),
  record: z
    .record(z.string(), z.unknown())
    .describe('Columns of the row without secrets; every number is text.'),
  url: Uri.nullable().describe(
    'Link to the file of an upload or a report, for a while; null for every other row.',
  ),
});

const DeleteBlocker = z.strictObject({
  kind: z.enum([
    ...(['LIVE_CAMPAIGNS', 'OPEN_HOLDS', 'OPEN_DISPUTES'] as const),
    ...(['OPEN_REFUND_REQUESTS', 'TEAM_MEMBERS', 'TEAM_OF_ANOTHER'] as const),
  ]),
  count: Count.describe('Campaigns, sales, disputes, requests, members or teams.'),
  message: z.string().describe('A sentence: what is open, and what ends it.'),
});

const DeleteAnswer = z.strictObject({
  deleted: z.boolean().describe('false while something is open: nothing changed.'),
  deletedAt: Timestamp.nullable(),
  blockers: z.array(DeleteBlocker).describe('Empty if the account was deleted.'),
  remains: z.array(z.string()).describe('Sentences: what a deletion does not delete, and why.'),
});

nameSchemas({
  ExportedRow: StoredRow,
  AccountDeleteBlocker: DeleteBlocker,
  AccountDeletion: DeleteAnswer,
});

/** Methods for what the service stores about the signed-in account (docs/privacy.md). */
export const account = resource('account', {
  about: 'What is stored about an account: to get, and to delete.',
  caller: 'account',
  documentedName: null,
})({
  export: get('/v1/me/account/export', {
    sessionOnly: true,
    summary: 'Everything that is stored about the caller, row by row, without secrets.',
    input: { query: z.strictObject(pageQuery) },
    output: pageOf(StoredRow),
  }),
  delete: post('/v1/me/account/delete', {
    sessionOnly: true,
    summary:
      'Deletes the caller’s account and ends its sessions; while something is open it stays, and the response names the reasons.',
    input: { body: z.strictObject({ confirmationToken: ConfirmationToken }) },
    output: DeleteAnswer,
  }),
});
