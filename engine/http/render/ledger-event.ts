import type { z } from 'zod';
import type { LedgerEvent } from '../../contract/shapes/ledger-event.ts';
import type { LedgerEventView } from '../../db/read/events/rows.ts';
import type { ReadHead } from '../../db/read/snapshot.ts';
import type { ServedDeployment } from '../deps.ts';
import { receiptEvent } from './event.ts';

export function ledgerEvent(
  deployment: ServedDeployment,
  event: LedgerEventView,
  head: ReadHead,
): z.infer<typeof LedgerEvent> {
  const { campaignId, saleId, accounts } = event;
  return { ...receiptEvent(deployment, event, head), campaignId, saleId, accounts: [...accounts] };
}
