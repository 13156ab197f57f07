import { defineMethod } from '../define.ts';

export const products = {
  list: defineMethod({
    name: 'products.list',
    method: 'GET',
    path: '/v1/merchant/products',
    access: 'session',
    availability: 'live',
  }),
  get: defineMethod({
    name: 'products.get',
    method: 'GET',
    path: '/v1/products/:id',
    access: 'public',
    availability: 'live',
  }),
  save: defineMethod({
    name: 'products.save',
    method: 'PUT',
    path: '/v1/merchant/products/:id',
    access: 'session',
    availability: 'live',
  }),
  uploadAsset: defineMethod({
    name: 'products.uploadAsset',
    method: 'POST',
    path: '/v1/merchant/products/:id/assets',
    access: 'session',
    availability: 'live',
  }),
  categories: defineMethod({
    name: 'products.categories',
    method: 'GET',
    path: '/v1/categories',
    access: 'public',
    availability: 'live',
  }),
} as const;
