import type { Client } from '../../../../../../engine/client/index.ts';
import type { DataOf } from '../../../../api.ts';

export type Draft = DataOf<Client['campaigns']['getDraft']>;
export type DraftBody = Parameters<Client['campaigns']['saveDraft']>[0]['draft'];
export type Product = DataOf<Client['products']['list']>['items'][number];

/** Steps of the wizard, in their order. */
export const steps = [
  ['product', 'Product'],
  ['price', 'Price and trust'],
  ['policy', 'Rewards'],
  ['budget', 'Budget and dates'],
  ['review', 'Review and publish'],
] as const;

export type StepId = (typeof steps)[number][0];

/** Properties of each step. */
export interface StepProps {
  readonly draft: Draft;
  /** The product of the draft; `undefined` until one is chosen. */
  readonly product: Product | undefined;
  /** Saves changes of the draft, and goes to the next step. */
  readonly onSave: (changes: Omit<DraftBody, 'version'>) => Promise<void>;
}

/** The step that has the field which an issue names. */
export function stepOf(path: string): StepId {
  const [field = ''] = path.split('.');
  if (field === 'productId') return 'product';
  if (['token', 'price', 'trustMode', 'name'].includes(field)) return 'price';
  if (path === 'policy.expiry') return 'budget';
  return field === 'policy' ? 'policy' : 'budget';
}

const labels: Readonly<Record<string, string>> = {
  productId: 'Product',
  token: 'Token',
  price: 'Price',
  trustMode: 'Trust',
  startsAt: 'Start date',
  endsAt: 'End date',
  nodeCapacity: 'Number of links',
  saleCapacity: 'Number of sales',
  policy: 'Rewards',
  funding: 'Budget',
};

/** A field of a draft as people call it. */
export function labelOf(path: string): string {
  const [field = ''] = path.split('.');
  return labels[field] ?? path;
}
