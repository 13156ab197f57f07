import { defineMethod } from '../define.ts';

export const reports = {
  export: defineMethod({
    name: 'reports.export',
    method: 'POST',
    path: '/v1/merchant/reports',
    access: 'session',
    availability: 'live',
  }),
  preview: defineMethod({
    name: 'reports.preview',
    method: 'GET',
    path: '/v1/merchant/reports/preview',
    access: 'session',
    availability: 'live',
  }),
  list: defineMethod({
    name: 'reports.list',
    method: 'GET',
    path: '/v1/merchant/reports',
    access: 'session',
    availability: 'live',
  }),
} as const;
