import { z } from 'zod';
import { defineMethod } from '../define.ts';
import { AuditEntry } from '../shapes/audit.ts';
import { rangeQuery } from '../shapes/period.ts';
import { Count, Id, SaleId, Timestamp, textInput, Uri } from '../values.ts';

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
  sourceOrderId: z.string().describe('Of the order, as the provider names it.'),
  saleId: SaleId.nullable().describe('null where no sale was recorded.'),
  suggestedAction: z.string(),
});

const Reconciliation = z.strictObject({
  lastSyncAt: Timestamp.nullable(),
  pendingOrders: Count.describe('Orders that are not attested yet.'),
  sourceTotal: z.string().describe('What the provider counts, base units.'),
  attestedTotal: z.string().describe('What was attested of it, base units.'),
  acceptedTotal: z.string().describe('What the contract recorded of it, base units.'),
  mismatches: z.array(Mismatch),
});

const params = z.strictObject({
  provider: textInput(100).min(1).describe('Name of the provider.'),
});

export const integrations = {
  list: defineMethod({
    name: 'integrations.list',
    method: 'GET',
    path: '/v1/merchant/integrations',
    access: 'session',
    availability: 'designed',
    summary: 'Storefronts and payment processors of the merchant.',
    input: {},
    output: z.array(Integration),
  }),
  connect: defineMethod({
    name: 'integrations.connect',
    method: 'POST',
    path: '/v1/merchant/integrations/:provider',
    access: 'session',
    availability: 'designed',
    summary: 'Connects a provider.',
    input: {
      params: z.strictObject({ provider: Provider }),
      body: z.strictObject({
        storeUrl: Uri.describe('Of the store, where the provider has many.').optional(),
        authorizationCode: textInput(2_000)
          .describe('From the provider’s consent page.')
          .optional(),
      }),
    },
    output: Integration,
  }),
  disconnect: defineMethod({
    name: 'integrations.disconnect',
    method: 'DELETE',
    path: '/v1/merchant/integrations/:provider',
    access: 'session',
    availability: 'designed',
    summary: 'Disconnects a provider.',
    input: { params },
    output: z.strictObject({ ok: z.literal(true) }),
  }),
  status: defineMethod({
    name: 'integrations.status',
    method: 'GET',
    path: '/v1/merchant/integrations/:provider/status',
    access: 'session',
    availability: 'designed',
    summary: 'How far the orders of a provider are attested and recorded.',
    input: {
      params,
      query: z.strictObject({
        refresh: z.boolean().describe('Whether to ask the provider anew.').optional(),
      }),
    },
    output: Reconciliation,
  }),
  reconciliation: defineMethod({
    name: 'integrations.reconciliation',
    method: 'GET',
    path: '/v1/merchant/integrations/:provider/reconciliation',
    access: 'session',
    availability: 'designed',
    summary: 'The same for a period and for campaigns.',
    input: { params, query: z.strictObject(rangeQuery) },
    output: Reconciliation,
  }),
  resolveMismatch: defineMethod({
    name: 'integrations.resolveMismatch',
    method: 'POST',
    path: '/v1/merchant/integrations/mismatches/:id',
    access: 'session',
    availability: 'designed',
    summary: 'Settles a mismatch with a note, which is kept.',
    input: {
      params: z.strictObject({ id: Id }),
      body: z.strictObject({
        note: textInput(1_000).min(20).describe('What was done about it; 20 to 1000 characters.'),
      }),
    },
    output: AuditEntry,
  }),
} as const;
