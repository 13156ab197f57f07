import { z } from 'zod';
import { del, get, post, resource } from '../define.ts';
import { nameSchemas } from '../names.ts';
import { AuditEntry } from '../shapes/audit.ts';
import { rangeQuery } from '../shapes/period.ts';
import {
  ConfirmationToken,
  Count,
  Done,
  Id,
  SaleId,
  Timestamp,
  textInput,
  Uri,
} from '../values.ts';

const Provider = z
  .enum(['provider_storefront_a', 'provider_payment', 'provider_storefront_b'])
  .describe('Two storefront platforms and a payment processor.');

const Integration = z.strictObject({
  id: Id,
  provider: Provider,
  status: z.enum(['connected', 'disconnected', 'error', 'pending']),
  connectedAt: Timestamp.nullable(),
  lastSyncAt: Timestamp.nullable(),
});

const Mismatch = z.strictObject({
  id: Id,
  kind: z.string(),
  severity: z.enum(['info', 'warning', 'critical']),
  sourceOrderId: z.string().describe('Id of the order at the provider.'),
  saleId: SaleId.nullable().describe('null if no sale was recorded.'),
  suggestedAction: z.string(),
});

const Reconciliation = z.strictObject({
  lastSyncAt: Timestamp.nullable(),
  pendingOrders: Count.describe('Orders that are not attested yet.'),
  sourceTotal: z.string().describe('Total according to the provider, base units.'),
  attestedTotal: z.string().describe('Attested part of it, base units.'),
  acceptedTotal: z.string().describe('Part of it that the contract recorded, base units.'),
  mismatches: z.array(Mismatch),
});

const params = z.strictObject({
  provider: textInput(100).min(1).describe('Name of the provider.'),
});

nameSchemas({
  IntegrationProvider: Provider,
  Integration,
  IntegrationMismatch: Mismatch,
  IntegrationStatus: Reconciliation,
});

/** Methods for storefronts and payment processors. They are not built yet. */
export const integrations = resource('integrations', {
  about: 'Storefronts and payment processors (designed).',
  caller: 'viewer',
  availability: 'designed',
})({
  list: get('/v1/merchant/integrations', {
    summary: 'Storefronts and payment processors of the merchant.',
    input: {},
    output: z.array(Integration),
  }),
  connect: post('/v1/merchant/integrations/:provider', {
    caller: 'admin',
    rights: 'widens',
    summary: 'Connects a provider. Requires a fresh signature.',
    input: {
      params: z.strictObject({ provider: Provider }),
      body: z.strictObject({
        storeUrl: Uri.describe('Address of the store, if the provider has several.').optional(),
        authorizationCode: textInput(2_000)
          .describe('From the provider’s consent page.')
          .optional(),
        confirmationToken: ConfirmationToken,
      }),
    },
    output: Integration,
  }),
  disconnect: del('/v1/merchant/integrations/:provider', {
    caller: 'admin',
    rights: 'narrows',
    summary: 'Disconnects a provider.',
    input: { params },
    output: Done,
  }),
  status: get('/v1/merchant/integrations/:provider/status', {
    summary: 'How far the orders of a provider are attested and recorded.',
    input: {
      params,
      query: z.strictObject({
        refresh: z.boolean().describe('Whether to query the provider again.').optional(),
      }),
    },
    output: Reconciliation,
  }),
  reconciliation: get('/v1/merchant/integrations/:provider/reconciliation', {
    summary:
      'How far the orders of a provider are attested and recorded, for a period and for campaigns.',
    input: { params, query: z.strictObject(rangeQuery) },
    output: Reconciliation,
  }),
  resolveMismatch: post('/v1/merchant/integrations/mismatches/:id', {
    caller: 'admin',
    summary: 'Resolves a mismatch with a note, which is stored.',
    input: {
      params: z.strictObject({ id: Id }),
      body: z.strictObject({
        note: textInput(1_000).min(20).describe('What was done about it; 20 to 1000 characters.'),
      }),
    },
    output: AuditEntry,
  }),
});
