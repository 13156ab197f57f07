import { z } from 'zod';
import { get, type Method, resource } from '../contract/define.ts';
import { nameSchemas } from '../contract/names.ts';
import { registry } from '../contract/registry.ts';
import { CampaignList } from '../contract/shapes/campaign.ts';
import { Distributor } from '../contract/shapes/distributor.ts';
import { EarningsSummary } from '../contract/shapes/earnings.ts';
import { ReceiptSummary } from '../contract/shapes/receipt.ts';
import { Address, BlockNumber, Count, Hash32, pageOf, textInput } from '../contract/values.ts';
import { DeploymentRef, MissingDeployment } from './shapes.ts';

const { search, campaigns, receipts, distributors, earnings, system, lookups } = registry;

/** Longest cursor: it has one of each deployment. */
const MAX_CURSOR_CHARACTERS = 8_000;

const cursor = textInput(MAX_CURSOR_CHARACTERS)
  .describe('nextCursor of the previous page, or its meta.resumeCursor.')
  .optional();

const deployment = DeploymentRef.describe('The deployment that it is from.');

const Deployment = z.strictObject({
  deployment: DeploymentRef,
  path: z.string().describe('Path under which the gateway serves its whole interface.'),
  genesisHash: Hash32,
  status: system.status.output.shape.status,
  chain: system.status.output.shape.chain,
  settled: system.status.output.shape.settled,
  finalized: system.status.output.shape.finalized,
  lag: system.status.output.shape.lag,
  counts: system.status.output.shape.counts,
  digest: z
    .strictObject({ block: BlockNumber, root: Hash32 })
    .nullable()
    .describe('Root of its ledger’s digest at a block; null before its first settled block.'),
});

const DeploymentsStatus = z.strictObject({
  status: z
    .enum(['ok', 'starting', 'attention'])
    .describe('The worst of all deployments; attention if one is missing.'),
  deployments: z.array(z.strictObject({ deployment, status: system.status.output })),
  alarms: z
    .array(z.strictObject({ deployment, alarm: z.string().describe('A sentence.') }))
    .describe('Alarms of all deployments that answered.'),
  missing: z.array(MissingDeployment),
});

const DeploymentDistributor = Distributor.extend({ deployment });

/** Each result with its deployment. */
const FoundResult = z.intersection(
  search.find.output.shape.items.element,
  z.object({ deployment }),
);

const tokenEarnings = EarningsSummary.shape.byToken.element;

const DeploymentsEarnings = EarningsSummary.extend({
  byToken: z
    .array(tokenEarnings.extend({ deployment }))
    .describe('Amounts are never added over tokens, chains or contracts.'),
  links: Count.describe('Nodes that the accounts own, in the deployments that answered.'),
  accounts: z
    .array(z.strictObject({ deployment, account: Address }))
    .describe('Who is signed in at each deployment: each has its own session.'),
});

nameSchemas({
  ServedDeployment: Deployment,
  DeploymentsStatus,
  DeploymentDistributor,
  FoundResult,
  DeploymentsEarnings,
});

/** The list as everybody gets it: the gateway has no session of its own. */
const { readsSession: _, ...campaignList } = campaigns.list;
const listQuery = campaigns.list.input.query
  .omit({ excludeJoined: true })
  .extend({ cursor })
  .strict();

const deployments = resource('deployments', {
  about: 'Methods of deployments across deployments.',
  caller: 'public',
  documentedName: null,
})({
  list: get('/v1/deployments', {
    summary: 'The deployments that this gateway serves, with their heads and roots.',
    input: {},
    output: z.strictObject({ items: z.array(Deployment) }),
  }),
  status: get('/v1/deployments/status', {
    summary: 'The status of each deployment, the worst of them, and all alarms.',
    input: {},
    output: DeploymentsStatus,
  }),
});

/** Methods that the gateway answers from all deployments. */
export const gatewayMethods = {
  deployments: deployments.list,
  status: deployments.status,
  search: {
    ...search.find,
    summary: 'Searches all deployments; their results take turns.',
    output: z.strictObject({
      items: z
        .array(FoundResult)
        .describe(
          'Exact matches of each deployment first. `limit` of each type, over all of them.',
        ),
    }),
  },
  campaigns: {
    ...campaignList,
    summary:
      'Campaigns of all deployments. The orders reward and hold are merged by value; in the others the deployments take turns.',
    input: { query: listQuery },
    output: CampaignList,
  },
  recentReceipts: {
    ...receipts.recent,
    summary: 'Sales of all deployments, newest first by the time of their blocks.',
    // Deployments are merged by time.
    input: { query: receipts.recent.input.query.omit({ order: true }).extend({ cursor }) },
    output: pageOf(ReceiptSummary),
  },
  distributors: {
    ...distributors.list,
    summary:
      'Distributors of all deployments by the order discovery-v1. Each item is the record of an account on one deployment.',
    input: { query: distributors.list.input.query.extend({ cursor }) },
    output: pageOf(DeploymentDistributor),
  },
  earnings: {
    ...earnings.summary,
    summary: 'Earnings of the caller at each deployment at which it is signed in, by token.',
    input: {},
    output: DeploymentsEarnings,
  },
} as const satisfies Readonly<Record<string, Method>>;

/** Methods that name a chain: the gateway passes them on to the deployment of that chain. */
export const routedMethods: readonly Method[] = [
  receipts.get,
  receipts.events,
  receipts.verify,
  receipts.bundle,
  lookups.receipts,
];
