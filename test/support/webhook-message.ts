import type { WebhookMessage } from '../../engine/client/index.ts';

const HASH = `0x${'a1'.repeat(32)}` as const;
const ACCOUNT = `0x${'b2'.repeat(20)}` as const;

/** A message about a sale, with some fields of `data` replaced. */
export function saleMessage(changes: Partial<WebhookMessage['data']> = {}): WebhookMessage {
  return {
    type: 'sale.recorded',
    timestamp: '2026-11-23T12:00:00Z',
    data: {
      eventId: 'evt_1',
      retracts: null,
      finality: 'pending',
      campaignId: '7',
      saleId: '578',
      amount: '1000000',
      accounts: [ACCOUNT],
      subjectId: null,
      chain: {
        chainId: 31_337,
        contractAddress: ACCOUNT,
        blockNumber: '12',
        blockHash: HASH,
        transactionHash: HASH,
        logIndex: 3,
      },
      links: { self: null, verify: null },
      ...changes,
    },
  };
}
