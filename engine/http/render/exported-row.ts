import { z } from 'zod';
import type { Address } from '../../core/events.ts';
import type { ExportedRow } from '../../db/read/account/export.ts';
import { openDetails } from '../../secrets/buyer-details.ts';
import type { AppDeps } from '../deps.ts';
import { ownFileUrl } from '../files/own-file-link.ts';
import { reportUrl } from './report.ts';

const Asset = z.object({ id: z.string(), kind: z.string() });
const Details = z.object({ intent_id: z.string(), buyer: z.string(), sealed: z.string() });
const Report = z.object({ id: z.string(), status: z.string(), expires_at: z.string().nullable() });

type Deps = Pick<AppDeps, 'publicUrl' | 'keys' | 'clock'>;

/** A stored row as its account gets it, with a link to its file if it has one. */
export function exportedRow(deps: Deps, account: Address, { table, record }: ExportedRow) {
  const url = urlOf(deps, account, { table, record });
  return { table, record: table === 'buyer_details' ? opened(deps, record) : record, url };
}

/** Details of an order as their buyer gave them, instead of what is stored. */
function opened({ keys }: Pick<Deps, 'keys'>, record: ExportedRow['record']) {
  const { sealed, ...others } = record;
  const row = Details.parse(record);
  const details = openDetails(
    { intentId: row.intent_id, buyer: row.buyer, sealed: Buffer.from(row.sealed.slice(2), 'hex') },
    keys,
  );
  return { ...others, details };
}

function urlOf(
  deps: Deps,
  account: Address,
  { table, record }: Pick<ExportedRow, 'table' | 'record'>,
): string | null {
  if (table === 'asset') {
    const { id, kind } = Asset.parse(record);
    return kind === 'image' ? `${deps.publicUrl}/media/${id}` : ownFileUrl(deps, account, id);
  }
  if (table !== 'report') return null;
  const { id, status, expires_at: expiresAt } = Report.parse(record);
  return reportUrl(deps, {
    ...{ id, merchant: account, status },
    expiresAt: expiresAt === null ? null : new Date(expiresAt),
  });
}
