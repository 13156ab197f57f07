import { z } from 'zod';
import { rpcStates } from '../../core/rpc-health.ts';
import { get, resource } from '../define.ts';
import { nameSchemas } from '../names.ts';
import { roles } from '../roles.ts';
import { DigestEvent, DigestPage } from '../shapes/digest.ts';
import { LedgerAudit } from '../shapes/ledger-audit.ts';
import { TokenTotals } from '../shapes/token-totals.ts';
import {
  Address,
  Amount,
  AtBlock,
  BlockNumber,
  CampaignId,
  ChainId,
  Count,
  Hash32,
  pageOf,
  pageQuery,
  Timestamp,
} from '../values.ts';

const JsonSchema = z.record(z.string(), z.unknown()).describe('JSON Schema 2020-12.');

const Endpoint = z.strictObject({
  name: z.string().describe('resource.method, as the client spells it.'),
  documentedName: z.string().nullable().describe('null if this service chose the name.'),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  path: z.string(),
  access: z.enum(['public', 'session']),
  availability: z.enum(['live', 'designed']),
  role: z
    .enum(roles)
    .describe('Lowest role that may call it for a merchant; missing if it does not act for one.')
    .optional(),
  scope: z
    .string()
    .describe('What an API key needs to call it; missing if every key may, or none.')
    .optional(),
  summary: z.string().optional(),
  input: z
    .strictObject({
      params: JsonSchema.optional(),
      query: JsonSchema.optional(),
      body: JsonSchema.optional(),
      payload: z
        .string()
        .describe('Input field whose value is the whole body; a wrapper object is refused.')
        .optional(),
      multipart: z.literal(true).describe('The body is a form with one field, file.').optional(),
      narrowed: z
        .strictObject({ path: z.string(), params: JsonSchema })
        .describe('A second path of the method, used if these params are given.')
        .optional(),
      idempotencyField: z
        .string()
        .describe('The field of the body that is also sent as header idempotency-key.')
        .optional(),
    })
    .optional(),
  output: JsonSchema.optional(),
});

const Block = z.strictObject({ number: BlockNumber, timestamp: Timestamp.nullable() });

const Lag = z.strictObject({
  indexer: Count.nullable().describe('Blocks from the chain’s head to the indexed one.'),
  settlement: Count.nullable().describe('Blocks from the indexed block to the settled one.'),
  total: Count.nullable().describe('Blocks from the chain’s head to the settled one.'),
});

const StoppedCampaign = z.strictObject({
  campaignId: z.string(),
  since: Timestamp,
  reason: z.string(),
});

const Replica = z.strictObject({
  name: z.string().describe('Its number in DATABASE_REPLICA_URLS.'),
  state: z
    .enum(['in-use', 'behind', 'away', 'no-standby', 'other-database'])
    .describe('in-use: it answers reads. behind: by more than a second.'),
  lagBlocks: Count.nullable().describe('Settled blocks that it is behind; null if not known.'),
});

const Rpc = z.strictObject({
  part: z.enum(['indexer', 'worker']).describe('Who asks it: the indexer, or the leading worker.'),
  place: Count.describe('Its place in RPC_URL, from 1. Its address is not shown: some hold a key.'),
  state: z
    .enum(rpcStates)
    .describe('unused: not asked yet. behind: its newest block is old next to that of another.'),
  since: Timestamp.describe('Start of the state.'),
  until: Timestamp.nullable().describe(
    'Until when it has asked to be left alone; null if it has not said so.',
  ),
  maxLogBlocks: Count.nullable().describe(
    'Most blocks of one eth_getLogs that it answered after it refused more; null if it refused none.',
  ),
  disagreements: z.strictObject({
    count: Count.describe('Answers that differed from those of other RPCs, with RPC_QUORUM.'),
    lastAt: Timestamp.nullable(),
    lastAbout: z.string().nullable().describe('What the last one was about.'),
  }),
  seenAt: Timestamp.describe('When the part last said so: at each change, and every minute.'),
});

const Status = z.strictObject({
  status: z.enum(['ok', 'starting', 'attention']).describe('attention: see alarms.'),
  version: z.string().describe('Version of Tributary that answers.'),
  deployment: z.strictObject({
    chainId: ChainId,
    contractAddress: Address,
    genesisHash: Hash32,
  }),
  chain: Block.nullable().describe('The chain’s newest block.'),
  indexed: z
    .strictObject({
      number: BlockNumber,
      ready: z.boolean().describe('False while it backfills or recovers.'),
    })
    .nullable()
    .describe('The newest block whose events are indexed.'),
  settled: Block.extend({ hash: Hash32 })
    .nullable()
    .describe('The newest block at or below which everything is settled: reads are as of it.'),
  safe: BlockNumber.nullable(),
  finalized: BlockNumber.nullable(),
  lag: Lag,
  headSeenAt: Timestamp.nullable().describe('When these heads were last written.'),
  chainSilentSince: Timestamp.nullable().describe(
    'Since when the service’s RPC has not responded; null if it responds.',
  ),
  counts: z
    .strictObject({ campaigns: Count, nodes: Count, sales: Count })
    .describe('The contract’s counters according to the ledger.'),
  queue: z
    .strictObject({ waiting: Count, active: Count, delayed: Count })
    .nullable()
    .describe('Jobs of settlement; null if the queue does not answer.'),
  discrepancies: z
    .strictObject({
      count: Count.describe('Stops counting at 10000.'),
      campaigns: z.array(z.string()).describe('Campaigns that have some, 20 at most.'),
    })
    .describe('Differences between the chain and what settlement computed.'),
  stopped: z.array(StoppedCampaign).describe('Campaigns that settlement has stopped, at most 20.'),
  alarms: z
    .array(z.string())
    .describe('Sentences; empty if there are no alarms. At most 100 about campaigns and tokens.'),
  acknowledgedAlarms: Count.describe(
    'Alarms about campaigns and tokens that an operator has acknowledged: alarms.list has them.',
  ),
  lastBackupAt: Timestamp.nullable().describe(
    'When the newest backup of this database was completed; null if there is none.',
  ),
  rpcs: z.array(Rpc).describe('RPCs of the indexer, then of the worker, as in RPC_URL.'),
  relayer: z.boolean().describe('Whether a relayer runs, which sends the orders that buyers sign.'),
  replicas: z
    .array(Replica)
    .describe('Read replicas of the API process that answers; missing if it has none.')
    .optional(),
});

/** Longest period of `system.activity`, in days. */
const MAX_ACTIVITY_DAYS = 90;

const ActivityDay = z.strictObject({
  day: Timestamp.describe('Its first moment, in UTC.'),
  sales: Count.describe('Sales recorded on that day, in whatever state.'),
  campaigns: Count.describe('Campaigns that recorded one.'),
});

const TokenActivityDay = z.strictObject({
  sales: Count.describe('Sales recorded on that day, in whatever state.'),
  settledValue: Amount.describe(
    'Paid for those that are finalized and not reversed, less refunds; base units.',
  ),
  rewards: Amount.describe('Rewards of these, base units.'),
});

const Activity = z.strictObject({
  campaigns: Count.describe('Listed campaigns, in whatever state.'),
  liveCampaigns: Count.describe('Those that take sales now.'),
  days: z.array(ActivityDay).describe('Oldest first; the last is that of the settled block.'),
  tokens: z
    .array(
      TokenTotals.extend({
        days: z.array(TokenActivityDay).describe('One for each of `days`, in its order.'),
      }),
    )
    .describe('Most sales in these days first, 5 at most; tokens.list has all.'),
});

nameSchemas({
  ActivityDay,
  TokenActivityDay,
  SystemActivity: Activity,
  JsonSchema,
  Endpoint,
  BlockAtTime: Block,
  SystemLag: Lag,
  StoppedCampaign,
  ReadReplica: Replica,
  RpcHealth: Rpc,
  SystemStatus: Status,
});

/** Methods for the registry, health, audit and digest of the service. */
export const system = resource('system', {
  about: 'The registry itself, and how far everything is.',
  caller: 'public',
  documentedName: null,
})({
  endpoints: get('/v1/system/endpoints', {
    serving: { replica: false, constant: true },
    summary: 'This registry: every method with its route, access, availability and JSON Schemas.',
    input: {},
    output: z.strictObject({ items: z.array(Endpoint) }),
  }),
  status: get('/v1/system/status', {
    serving: { replica: false },
    summary: 'Progress of chain, indexer and settlement, and what needs attention.',
    input: {},
    output: Status,
  }),
  activity: get('/v1/system/activity', {
    serving: { cached: true, long: true },
    summary: 'Totals and sales by day over all listed campaigns, by token.',
    input: {
      query: z.strictObject({
        days: z
          .int()
          .min(1)
          .max(MAX_ACTIVITY_DAYS)
          .describe('Days in UTC up to the settled block, 1 to 90; default 30.')
          .optional(),
      }),
    },
    output: Activity,
  }),
  audit: get('/v1/system/audit', {
    summary:
      'The newest audit: all invariants, against the ledger itself and against the contract.',
    input: {},
    output: z.strictObject({
      last: LedgerAudit.nullable().describe('null before the first audit.'),
    }),
  }),
  digest: get('/v1/system/digest', {
    serving: { long: true },
    summary:
      'The ledger’s digest at a block: its root, each campaign’s, and a proof for one of them.',
    input: {
      query: z.strictObject({
        ...pageQuery,
        block: AtBlock.optional(),
        campaignId: CampaignId.describe('Only this campaign, with its proof.').optional(),
      }),
    },
    output: DigestPage,
  }),
  digestEvents: get('/v1/system/digest/:campaignId', {
    summary: 'The encoded events of a campaign’s digest, oldest first.',
    input: {
      params: z.strictObject({ campaignId: CampaignId }),
      query: z.strictObject({
        ...pageQuery,
        after: Count.describe('Only events after this sequence; default 0.').optional(),
      }),
    },
    output: pageOf(DigestEvent),
  }),
});
