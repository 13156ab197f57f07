/** Names of the API that pages show as words (`words` in `web/src/format.ts`): texts, too, though no source has them as such. */
export const shownNames: readonly string[] = [
  // States of sales, rewards, campaigns, products, reports, transactions and endpoints.
  ...[
    'pending',
    'finalized',
    'refunded',
    'reversed',
    'settled',
    'reserved',
    'claimable',
    'claimed',
  ],
  ...['draft', 'draft offchain', 'created unfunded', 'funded active', 'paused', 'ended', 'expired'],
  ...['ready', 'archived', 'queued', 'running', 'failed', 'active', 'invited', 'sent', 'unknown'],
  ...[
    'accepted',
    'declined',
    'withdrawn',
    'open',
    'removed',
    'cancelled',
    'delivered',
    'published',
  ],
  // Checks of a receipt and of a bundle.
  ...['transaction', 'sale', 'attribution', 'campaign', 'policy', 'path', 'split', 'transitions'],
  ...['state', 'rewards', 'age', 'format', 'contract', 'blocks', 'proofs', 'figures'],
  // Events of the contract.
  ...[
    'campaign created',
    'capacity raised',
    'variant priced',
    'policy scheduled',
    'campaign funded',
  ],
  ...['surplus withdrawn', 'campaign paused', 'campaign resumed', 'campaign ended'],
  ...['distributor allowed', 'attester allowed', 'node joined', 'sale recorded', 'sale attested'],
  ...['reward released', 'sale refunded', 'reward vested', 'sale finalized', 'reward reversed'],
  ...[
    'sale reversed',
    'rewards claimed',
    'proceeds claimed',
    'payment credited',
    'credit withdrawn',
  ],
  // Heads and parts of the service, and its states.
  ...['chain', 'indexed', 'safe', 'ok', 'starting', 'attention', 'indexer', 'worker', 'feeder'],
  ...['unused', 'rate-limited', 'refused', 'unreachable', 'other-chain', 'behind'],
  // Values of a policy.
  ...['renormalize existing', 'return unused', 'monthly', 'yearly', 'day', 'month'],
  // Roles of the demo.
  ...['buyer', 'merchant', 'partner'],
];
