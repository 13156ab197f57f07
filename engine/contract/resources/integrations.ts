import { defineMethod } from '../define.ts';

export const integrations = {
  list: defineMethod({
    name: 'integrations.list',
    method: 'GET',
    path: '/v1/merchant/integrations',
    access: 'session',
    availability: 'designed',
  }),
  connect: defineMethod({
    name: 'integrations.connect',
    method: 'POST',
    path: '/v1/merchant/integrations/:provider',
    access: 'session',
    availability: 'designed',
  }),
  disconnect: defineMethod({
    name: 'integrations.disconnect',
    method: 'DELETE',
    path: '/v1/merchant/integrations/:provider',
    access: 'session',
    availability: 'designed',
  }),
  status: defineMethod({
    name: 'integrations.status',
    method: 'GET',
    path: '/v1/merchant/integrations/:provider/status',
    access: 'session',
    availability: 'designed',
  }),
  reconciliation: defineMethod({
    name: 'integrations.reconciliation',
    method: 'GET',
    path: '/v1/merchant/integrations/:provider/reconciliation',
    access: 'session',
    availability: 'designed',
  }),
  resolveMismatch: defineMethod({
    name: 'integrations.resolveMismatch',
    method: 'POST',
    path: '/v1/merchant/integrations/mismatches/:id',
    access: 'session',
    availability: 'designed',
  }),
} as const;
