import { z } from 'zod';
import { del, get, post, resource } from '../define.ts';
import { nameSchemas } from '../names.ts';
import { Period, rangeQuery } from '../shapes/period.ts';
import {
  CampaignId,
  ConfirmationToken,
  Count,
  Done,
  Id,
  pageOf,
  pageQuery,
  Timestamp,
  Uri,
} from '../values.ts';

const Kind = z
  .enum(['sales', 'rewards', 'missed', 'movements', 'payouts'])
  .describe('What its rows are: sales, rewarded levels, missed rewards, movements, or payouts.');

const Format = z.enum(['csv', 'json']).describe('csv with a heading line, or a JSON array.');

const Status = z
  .enum(['queued', 'running', 'ready', 'failed', 'expired'])
  .describe('expired: the file was deleted.');

const Report = z.strictObject({
  id: Id,
  kind: Kind,
  format: Format,
  range: Period.nullable().describe('null for all of history.'),
  campaignIds: z.array(CampaignId).describe('Empty for all campaigns.'),
  status: Status,
  rows: Count.nullable().describe('Without the heading; null before it is ready.'),
  size: Count.nullable().describe('Bytes; null before it is ready.'),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable()
    .describe('sha-256 of the file, 64 lower-case hex digits; null before it is ready.'),
  error: z.string().nullable().describe('A sentence if it failed; null otherwise.'),
  createdAt: Timestamp,
  finishedAt: Timestamp.nullable(),
  downloadUrl: Uri.nullable().describe('Temporary, and for its owner; null unless ready.'),
  expiresAt: Timestamp.nullable().describe('When the file is deleted.'),
});

const Preview = z.strictObject({
  columns: z.array(
    z.strictObject({
      name: z.string().describe('Heading of the column.'),
      description: z.string().describe('Meaning of its values, with the unit.'),
    }),
  ),
  rows: z
    .array(z.array(z.string().nullable()))
    .max(100)
    .describe('The first rows, as in the file: a cell for each column.'),
  totalRows: Count.describe('Rows of the whole report.'),
});

const reportParams = z.strictObject({ id: Id });

nameSchemas({
  ReportKind: Kind,
  ReportFormat: Format,
  ReportStatus: Status,
  Report,
  ReportPreview: Preview,
});

/** Methods for report files. */
export const reports = resource('reports', {
  about: 'Exports of a merchant’s rows.',
  caller: 'analyst',
})({
  export: post('/v1/merchant/reports', {
    summary: 'Orders a report; it is made in the background, and listed when it is ready.',
    input: {
      body: z.strictObject({
        kind: Kind,
        format: Format,
        range: Period.describe('Both moments; without it all there was.').optional(),
        campaignIds: rangeQuery.campaignIds,
        confirmationToken: ConfirmationToken,
      }),
    },
    output: Report,
  }),
  preview: get('/v1/merchant/reports/preview', {
    serving: { long: true },
    summary: 'The columns and first rows that a report would have.',
    input: {
      query: z.strictObject({
        kind: Kind,
        range: Period.describe('Both moments; without it all there was.').optional(),
        campaignIds: rangeQuery.campaignIds,
        limit: z
          .int()
          .min(1)
          .max(100)
          .describe('Largest number of rows, 1 to 100; default 20.')
          .optional(),
      }),
    },
    output: Preview,
  }),
  list: get('/v1/merchant/reports', {
    summary: 'Reports that the merchant ordered, newest first.',
    input: {
      query: z.strictObject({
        ...pageQuery,
        kind: Kind.optional(),
        status: Status.optional(),
      }),
    },
    output: pageOf(Report),
  }),
  get: get('/v1/merchant/reports/:id', {
    documentedName: null,
    summary: 'A report that the merchant ordered, and how far it has come.',
    input: { params: reportParams },
    output: Report,
  }),
  remove: del('/v1/merchant/reports/:id', {
    documentedName: null,
    caller: 'admin',
    summary: 'Deletes a report and its file, or cancels it if it is not ready yet.',
    input: { params: reportParams },
    output: Done,
  }),
});
