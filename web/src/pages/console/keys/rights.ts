import { words } from '../../../format.ts';

/** Rights of API keys in words: each may read or write a resource of the API. */
interface Group {
  readonly title: string;
  /** Sentences by right, in the order shown. */
  readonly rights: Readonly<Record<string, string>>;
}

/** Rights of an account for itself, rather than for its shop. */
const OWN: Group['rights'] = {
  'earnings.read': 'See what your links earned',
  'payouts.write': 'Prepare the payout of your rewards to sign',
  'statements.read': 'Download statements of your rewards',
  'links.read': 'See your links and their visits',
  'links.write': 'Name your links',
  'graph.read': 'See who joined under your links',
  'reputation.read': 'See your profile as a distributor',
  'reputation.write': 'Change your name as a distributor',
  'checkout.read': 'See purchases that you began',
  'checkout.write': 'Begin purchases and prepare their payment',
  'intents.read': 'See purchases that are not paid yet',
  'intents.write': 'Cancel purchases that are not paid yet',
  'refundRequests.read': 'See refund requests of your purchases',
  'refundRequests.write': 'Ask for refunds, and answer merchants',
};

const groups: readonly Group[] = [
  {
    title: 'Orders and refunds',
    rights: {
      'orders.read': 'See orders, their buyers and their delivery',
      'deliveries.read': 'See the contact and delivery details of buyers',
      'receipts.read': 'See receipts of sales and purchases',
      'disputes.read': 'See refund requests of your sales',
      'disputes.write': 'Answer refund requests, and prepare refunds to sign',
      'attestations.write': 'Prepare and submit sales that were paid elsewhere',
      'fulfillment.write': 'Get the access or the file of a purchase',
    },
  },
  {
    title: 'Shop and campaigns',
    rights: {
      'products.read': 'See products that are not published yet',
      'products.write': 'Create, change and remove products and their files',
      'campaigns.read': 'See your campaigns, drafts and their distributors',
      'campaigns.write': 'Save drafts, settings, and campaigns to sign',
      'operations.write': 'Prepare pauses, prices, deposits and refunds to sign',
      'studio.read': 'See templates of reward policies',
      'studio.write': 'Save and remove templates of reward policies',
      'merchants.read': 'See your profile as its owner does',
      'merchants.write': 'Change your name, logo and support address',
    },
  },
  {
    title: 'Partners',
    rights: {
      'partners.read': 'See partners with their sales and rewards',
      'invitations.read': 'See invitations that you sent or got',
      'invitations.write': 'Send, answer and withdraw invitations',
      'joinRequests.read': 'See requests to join, those that you sent and those that you got',
      'joinRequests.write': 'Ask to join, and answer requests to join',
    },
  },
  {
    title: 'Money and reports',
    rights: {
      'vault.read': 'See proceeds, deposits and every movement',
      'analytics.read': 'See sales, visits and rewards over time',
      'billing.read': 'See what this service charges',
      'reports.read': 'See and download reports',
      'reports.write': 'Order and remove reports',
    },
  },
  {
    title: 'Your own links and purchases',
    rights: OWN,
  },
  {
    title: 'Team and programs',
    rights: {
      'team.read': 'See members of the team and what they changed',
      'notifications.read': 'See notifications of your account',
      'webhooks.read': 'See webhooks and their deliveries',
      'webhooks.write': 'Send test events, and send events again',
    },
  },
];

/** A right with what it allows. */
export interface Right {
  readonly scope: string;
  readonly text: string;
}

/** Rights that an account can give, in groups. One that has no sentence yet is in the last group. */
export function groupedRights(
  available: readonly string[],
): readonly { readonly title: string; readonly rights: readonly Right[] }[] {
  const known = groups.map(({ title, rights }) => ({
    title,
    rights: Object.entries(rights)
      .filter(([scope]) => available.includes(scope))
      .map(([scope, text]) => ({ scope, text })),
  }));
  const named = new Set(groups.flatMap(({ rights }) => Object.keys(rights)));
  const others = available
    .filter((scope) => !named.has(scope))
    .map((scope) => ({ scope, text: plainText(scope) }));
  return [...known, { title: 'Others', rights: others }].filter(({ rights }) => rights.length > 0);
}

function plainText(scope: string): string {
  const [resource = '', verb] = scope.split('.');
  return verb === 'read' ? `See ${words(resource)}` : `Change ${words(resource)}`;
}

/** Common sets of rights, narrowest first. */
export const presets: readonly {
  readonly id: string;
  readonly title: string;
  readonly hint: string;
  readonly includes: (scope: string) => boolean;
}[] = [
  {
    id: 'read',
    title: 'Read only',
    hint: 'Sees everything of your shop, and changes nothing.',
    includes: (scope) => scope.endsWith('.read') && !(scope in OWN),
  },
  {
    id: 'orders',
    title: 'Orders',
    hint: 'For the backend of a shop: orders, delivery, refund requests.',
    includes: (scope) =>
      /^(orders|receipts|products)\.read$|^disputes\.|^operations\.write$/.test(scope),
  },
  {
    id: 'accounting',
    title: 'Accounting',
    hint: 'Orders, money, reports and statements, to download.',
    includes: (scope) =>
      /^(orders|receipts|vault|billing|analytics|earnings|statements)\.read$|^reports\./.test(
        scope,
      ),
  },
  {
    id: 'partners',
    title: 'Partners',
    hint: 'Sees partners and campaigns, and sends invitations.',
    includes: (scope) => /^(partners|campaigns|analytics)\.read$|^invitations\./.test(scope),
  },
  {
    id: 'all',
    title: 'Everything',
    hint: 'All that your account may do without a signature of the wallet.',
    includes: () => true,
  },
];

/** Id of the preset that has exactly these rights; `undefined` if none has, or there are none. */
export function presetOf(
  scopes: readonly string[],
  available: readonly string[],
): string | undefined {
  if (scopes.length === 0) return undefined;
  const chosen = new Set(scopes);
  const found = presets.find(({ includes }) => {
    const wanted = available.filter(includes);
    return wanted.length === chosen.size && wanted.every((scope) => chosen.has(scope));
  });
  return found?.id;
}
