import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

/** A section of the console. */
export interface Section {
  /** Its name in the address: `/console/orders`. The first one is at `/console`. */
  readonly id: string;
  readonly title: string;
  readonly view: LazyExoticComponent<ComponentType>;
  /** True for the first section of a group. */
  readonly starts?: true;
  /** Method that the deployment must have enabled. */
  readonly needs?: string;
}

/** Sections in the order of the menu. */
export const sections: readonly [Section, ...Section[]] = [
  { id: 'overview', title: 'Overview', view: lazy(() => import('./overview/index.tsx')) },
  {
    id: 'products',
    title: 'Products',
    starts: true,
    view: lazy(() => import('./products/index.tsx')),
  },
  { id: 'campaigns', title: 'Campaigns', view: lazy(() => import('./campaigns/index.tsx')) },
  { id: 'orders', title: 'Orders', starts: true, view: lazy(() => import('./orders/index.tsx')) },
  { id: 'disputes', title: 'Refund requests', view: lazy(() => import('./disputes/index.tsx')) },
  {
    id: 'partners',
    title: 'Partners',
    starts: true,
    view: lazy(() => import('./partners/index.tsx')),
  },
  { id: 'invitations', title: 'Invitations', view: lazy(() => import('./invitations/index.tsx')) },
  {
    id: 'analytics',
    title: 'Analytics',
    starts: true,
    view: lazy(() => import('./analytics/index.tsx')),
  },
  { id: 'vault', title: 'Vault and proceeds', view: lazy(() => import('./vault/index.tsx')) },
  { id: 'reports', title: 'Reports', view: lazy(() => import('./reports/index.tsx')) },
  {
    id: 'team',
    title: 'Team',
    starts: true,
    needs: 'team.members',
    view: lazy(() => import('./team/index.tsx')),
  },
  {
    id: 'keys',
    title: 'API keys',
    needs: 'apiKeys.list',
    view: lazy(() => import('./keys/index.tsx')),
  },
  {
    id: 'webhooks',
    title: 'Webhooks',
    needs: 'webhooks.list',
    view: lazy(() => import('./webhooks/index.tsx')),
  },
  { id: 'settings', title: 'Settings', view: lazy(() => import('./settings/index.tsx')) },
];
