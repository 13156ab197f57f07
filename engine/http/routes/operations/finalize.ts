import type { Issue } from '../../../contract/envelope.ts';
import { countOf } from '../../../core/count-of.ts';
import { finalizeEvents } from '../../../core/fold/index.ts';
import { afterEvents, campaignChanges } from '../../../core/preview.ts';
import { ledgerId } from '../../../db/ids.ts';
import { type SaleToChange, salesToChange } from '../../../db/read/operations/sale-state.ts';
import { type DueInCampaign, dueInCampaignOf } from '../../../db/read/sales/due-in-campaigns.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import type { AppDeps } from '../../deps.ts';
import { unprocessable } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { requireOwnCampaign } from '../../resources/campaigns/find-campaign.ts';
import { type OwnState, ownStateIn } from '../../resources/operations/own-state.ts';
import {
  type OperationPlan,
  type OperationWarning,
  preparedOperation,
} from '../../resources/operations/prepare.ts';
import { finalizeCall } from '../../resources/transactions/finalize.ts';

/** `operations.finalize`: finalizes due sales of a campaign, 100 a transaction. */
export const finalize: Handler<'operations.finalize'> = async (input, deps, { merchant }) => {
  const { own, due, sales } = await readLedger(deps.pool, async (snapshot) => {
    const campaign = await requireOwnCampaign(snapshot, input.campaignId, merchant);
    const due = await dueInCampaignOf(snapshot, campaign);
    const ids = input.saleIds?.map((id) => ledgerId(id) ?? '-1') ?? due.saleIds;
    const sales = ids.length === 0 ? [] : await salesToChange(snapshot, campaign, ids);
    return { own: await ownStateIn(deps, snapshot, campaign, { sales }), due, sales };
  });
  const issues = issuesOf(input.saleIds ?? [], sales, own);
  if (issues.length > 0) throw unprocessable('Some sales cannot be finalized: see issues.', issues);
  const plan = planOf(deps, own, { due, sales, isChosen: input.saleIds !== undefined });
  return {
    data: {
      ...(await preparedOperation(deps, own, plan)),
      saleIds: sales.map(({ saleId }) => saleId),
      dueSales: due.sales,
      dueAmount: due.amount.toString(),
    },
    chain: own.chain,
  };
};

/** Issues of sales that the caller named: each must be pending, in the campaign, and due. */
function issuesOf(
  saleIds: readonly string[],
  sales: readonly SaleToChange[],
  { campaign, clock }: OwnState,
): Issue[] {
  const known = new Map(sales.map((sale) => [sale.saleId, sale]));
  return saleIds.flatMap((saleId, i) => {
    const sale = known.get(saleId);
    const path = `saleIds.${i}`;
    if (sale === undefined) {
      return [{ path, message: `is no sale of campaign ${campaign.campaignId}: ${saleId}` }];
    }
    if (sale.state !== 'pending') return [{ path, message: `is ${sale.state} already` }];
    return sale.holdUntil > clock ? [{ path, message: 'must be a sale whose hold is over' }] : [];
  });
}

interface Chosen {
  readonly due: DueInCampaign;
  readonly sales: readonly SaleToChange[];
  /** True if the caller named the sales. */
  readonly isChosen: boolean;
}

function planOf({ deployment }: AppDeps, own: OwnState, chosen: Chosen): OperationPlan {
  const { campaign, state, clock } = own;
  const { sales } = chosen;
  const warnings = warningsOf(chosen);
  if (sales.length === 0) return { status: 'in_effect', warnings };
  const events = sales.flatMap(({ saleId }) => finalizeEvents(state, saleId));
  const saleIds = sales.map(({ saleId }) => saleId);
  return {
    status: 'ready',
    steps: [['FINALIZE', finalizeCall(deployment, saleIds, campaign.campaignId)]],
    // The accounts of up to 500 levels are not read, so only the campaign's own values are shown.
    preview: campaignChanges(state, afterEvents(state, events, clock), clock),
    warnings,
  };
}

function warningsOf({ due, sales, isChosen }: Chosen): OperationWarning[] {
  const left = due.sales - due.disputed - sales.length;
  const disputed = sales.filter((sale) => sale.isDisputed).map(({ saleId }) => saleId);
  const warnings: (OperationWarning | false)[] = [
    disputed.length > 0 && {
      code: 'DISPUTED',
      message: `Their disputes can no longer end with a refund: ${disputed.join(', ')}.`,
    },
    !isChosen &&
      due.disputed > 0 && {
        code: 'DISPUTED',
        message: `${countOf(due.disputed, 'due sale is', 'due sales are')} left out, because a dispute about each is open or accepted. Name them in saleIds to finalize them all the same.`,
      },
    !isChosen &&
      left > 0 && { code: 'MORE', message: `${left} more follow once these have settled.` },
  ];
  return warnings.filter((one) => one !== false);
}
